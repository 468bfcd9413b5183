"""What happens when things break: processes, disks, bytes."""
