"""The whole loop, as a user and a program meet it, and what happens where a part of it fails."""
