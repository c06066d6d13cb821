SIGNATURE_HEADERS: dict[str, bytes]
