"""Kernel, also loaded by the hook client: reads shell lines and chat requests, and matches calls against guards."""
