"""What the tests are installed from: a lock of versions and hashes, its audit, and the list of what people install."""
