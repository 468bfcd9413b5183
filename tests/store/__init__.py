"""The stores: what they promise, and that nothing is lost where disks, bytes and processes fail."""
