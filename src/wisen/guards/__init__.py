"""Guards: calls that are watched for, tried on the past and counted live."""
