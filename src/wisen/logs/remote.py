"""Normalizes a repository address to one canonical name, however it is written and whatever credentials it contains.

`https://token@GitHub.com/Owner/Repo.git`, `ssh://git@github.com:22/owner/repo` and `git@github.com:owner/repo` are all
`github.com/owner/repo`. Nothing here reads a file or uses the network.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from wisen.text.lazy_regex import lazy_regex

_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
_SAME_SCHEME = {"git+ssh": "ssh", "ssh+git": "ssh", "git+https": "https", "git+http": "http"}
_IGNORE_CASE = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_SAME_HOST = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
"""Alternative hosts of the same forge: ssh on port 443, for networks that block everything else."""

_URL = lazy_regex(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_HELPER = lazy_regex(r"([A-Za-z0-9][A-Za-z0-9+.-]*)::(.*)", re.DOTALL)
_DRIVE = lazy_regex(r"[A-Za-z]:(?:[\\/]|$)")
_BRACKETED = lazy_regex(r"(?:[^@/\[\]]*@)?\[([^\[\]/]*)\]:(.*)", re.DOTALL)
_AZURE_SSH = lazy_regex(r"v3/([^/]+)/([^/]+)/([^/]+)")
_UNSAFE = lazy_regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def network_name(address: str) -> str | None:
    """Return the canonical name `host[:port]/path` of an address; None if it is a path, or a command to run."""
    address = address.strip()
    if (helper := _HELPER.fullmatch(address)) and helper[1].lower() not in _DEFAULT_PORTS:
        # A helper such as `ext::` runs a command, which names nothing and may contain anything.
        return network_name(helper[2]) if "://" in helper[2] else None
    if url := _URL.fullmatch(address):
        return _name_from_url(url[1].lower(), url[2])
    if _DRIVE.match(address):
        return None
    return _name_from_scp(address)


def local_path(address: str) -> str | None:
    """Return the path that a `file://` address or a plain path points to; None if it is neither."""
    address = address.strip()
    if url := _URL.fullmatch(address):
        if url[1].lower() != "file":
            return None
        path = unquote(_without_query(url[2]), errors="surrogateescape")
        if re.match(r"/[A-Za-z]:[\\/]", path):
            return path[1:]
        path = path.removeprefix("localhost")
        return path if path.startswith("/") else f"//{path}"
    if _DRIVE.match(address):
        return address
    if not address or _HELPER.fullmatch(address) or _name_from_scp(address) is not None:
        return None
    return address


def _name_from_url(scheme: str, rest: str) -> str | None:
    scheme = _SAME_SCHEME.get(scheme, scheme)
    if scheme == "file":
        return None
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    if "@" in path and not _is_definitely_host(host):
        # An unencoded password with a slash in it: nothing before the last @ may be shown.
        host, _, path = rest.rpartition("@")[2].partition("/")
    if scheme in _DEFAULT_PORTS:
        return _join_name(_normalize_host(_without_query(host), scheme), path)
    # For an unknown scheme we know neither whether it reaches what https would, nor whether its hosts ignore case.
    return _join_name(_without_query(host), path, prefix=f"{scheme}://")


def _is_definitely_host(host: str) -> bool:
    return re.fullmatch(r"(?:\[[0-9A-Fa-f:.]+\]|localhost|[\w-]+(?:\.[\w-]+)+\.?)(?::\d*)?", host) is not None


def _without_query(text: str) -> str:
    return re.split(r"[?#]", text, maxsplit=1)[0]


def _name_from_scp(address: str) -> str | None:
    if bracketed := _BRACKETED.fullmatch(address):
        inside = bracketed[1].rpartition("@")[2]
        host = f"[{inside}]" if inside.count(":") > 1 else inside
        return _join_name(_normalize_host(host, "ssh"), bracketed[2])
    head, slash, tail = address.partition("/")
    if ":" not in head:
        return None
    user, _, rest = head.rpartition("@")
    if ":" in rest or (":" in user and not user.endswith(":")):
        # What precedes the @ may be `user:password`, although no transport would accept it.
        head = rest
    host, _, first = head.partition(":")
    return _join_name(_normalize_host(host, "ssh"), first + slash + tail) if host else None


def _normalize_host(host: str, scheme: str) -> str:
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, ""
    name = name.lower().rstrip(".")
    number = int(port) if port.isdecimal() and port.isascii() and len(port) <= 5 else None
    if name in _SAME_HOST:
        name = _SAME_HOST[name]
        number = None if number == 443 else number
    if number is None or number == _DEFAULT_PORTS[scheme]:
        return name
    return f"{name}:{number}"


def _join_name(host: str, path: str, *, prefix: str = "") -> str:
    parts: list[str] = []
    for part in unquote(_without_query(path), errors="surrogateescape").replace("\\", "/").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    if parts[:1] == ["~"]:
        del parts[0]
    path = "/".join(parts)
    if host in _IGNORE_CASE:
        path = path.lower()
    if host == "dev.azure.com":
        path = _AZURE_SSH.sub(r"\1/\2/_git/\3", path)
    path = path.removesuffix(".git").rstrip("/")
    name = f"{prefix}{host}/{path}" if path else f"{prefix}{host}"
    return _UNSAFE.sub(lambda found: quote(found[0]), name)
