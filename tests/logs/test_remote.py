"""The different spellings of a repository's address yield one name, and no credential is left in it."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.logs.remote import local_path, network_name

pytestmark = pytest.mark.requirement("N2")

word = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=12).filter(
    lambda text: text[0] not in "-"
)
host = st.sampled_from(["github.com", "gitlab.com", "git.example.org", "codeberg.org", "bitbucket.org", "10.0.0.7"])
secret = st.text(string.ascii_letters + string.digits + "!$&'()*+,;=:~%#?/.-_", min_size=4, max_size=20)


@given(host=host, owner=word, repo=word)
def test_https_ssh_scp_and_git_forms_of_one_repository_agree(host: str, owner: str, repo: str) -> None:
    path = f"{owner}/{repo}"
    names = {
        network_name(address)
        for address in (
            f"https://{host}/{path}.git",
            f"https://{host.upper()}:443//{owner}//{repo}/",
            f"http://{host}:80/{path}",
            f"ssh://git@{host}/{path}.git",
            f"ssh://{host}:22/{path}.git/",
            f"git+ssh://git@{host}/{path}",
            f"git@{host}:{path}.git",
            f"{host}:{path}",
            f"git@{host}:/{path}/",
            f"git://{host}:9418/{path}.git",
            f"git://{host}./{path}.git",
        )
    }

    assert len(names) == 1
    assert (names.pop() or "").lower() == f"{host}/{path}".lower()


@given(host=host, user=word, secret=secret, path=word)
def test_credentials_are_never_part_of_the_name(host: str, user: str, secret: str, path: str) -> None:
    for address in (
        f"https://{user}:{secret}@{host}/{path}.git",
        f"https://{user}:{secret}@{host}:8443/{path}.git",
        f"ssh://{user}:{secret}@{host}/{path}",
        f"ftp://{user}:{secret}@{host}/{path}",
        f"https://{host}/{path}?access_token={secret}",
        f"https://{host}/{path}#{secret}",
    ):
        name = network_name(address)
        assert name is not None
        assert name.lower() in {f"{where}/{path}".lower() for where in (host, f"{host}:8443", f"ftp://{host}")}


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://GitHub.com/Owner/Repo", "github.com/owner/repo"),
        ("https://git.example.org/Owner/Repo", "git.example.org/Owner/Repo"),
        ("ssh://git@ssh.github.com:443/o/r.git", "github.com/o/r"),
        ("ssh://git@git.example.org:2222/o/r", "git.example.org:2222/o/r"),
        ("[git@git.example.org:2222]:o/r", "git.example.org:2222/o/r"),
        ("ssh://[::1]:2222/o/r", "[::1]:2222/o/r"),
        ("https://git.example.org/My%20Team/a%2Fb", "git.example.org/My Team/a/b"),
        ("https://git.example.org/a/../b/./c.git", "git.example.org/b/c"),
        ("git@host:~/repo.git", "host/repo"),
        ("host:@scope/repo", "host/@scope/repo"),
        ("git@ssh.dev.azure.com:v3/org/project/repo", "dev.azure.com/org/project/_git/repo"),
        ("codecommit::eu-west-1://profile@Repo", "eu-west-1://Repo"),
        ("https://h.example/a%0Ab", "h.example/a%0Ab"),
        ("https://h.example", "h.example"),
        ("user:word@git.example.org:o/r", "git.example.org/o/r"),
        ("user:word@git.example.org/o/r", "git.example.org/o/r"),
        ("/srv/repo.git", None),
        ("../repo.git", None),
        ("C:\\repo.git", None),
        ("file:///srv/repo.git", None),
        ("ext::ssh -i key host %S repo", None),
        ("", None),
    ],
)
def test_an_address_has_this_name(address: str, name: str | None) -> None:
    assert network_name(address) == name


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/srv/repo.git", "/srv/repo.git"),
        ("../repo.git", "../repo.git"),
        ("./with:colon", "./with:colon"),
        ("C:\\repo.git", "C:\\repo.git"),
        ("file:///srv/a%20b.git", "/srv/a b.git"),
        ("file://localhost/srv/repo.git", "/srv/repo.git"),
        ("file:///C:/repo", "C:/repo"),
        ("git@host:repo", None),
        ("https://host/repo", None),
        ("ext::command", None),
        ("", None),
    ],
)
def test_an_address_points_to_this_path(address: str, path: str | None) -> None:
    assert local_path(address) == path


@given(address=st.text())
def test_no_address_is_an_error(address: str) -> None:
    network_name(address)
    local_path(address)
