"""What the README's figures come from."""
