"""The commands about proposals, and answers to them: `wisen proposals …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

proposals_app = typer.Typer(
    help="Proposals that wait for your answer. Without a command, lists them.", invoke_without_command=True
)
ProposalId = Annotated[str, typer.Argument(metavar="ID", help="The number in the list, the id, or its beginning.")]


@proposals_app.callback()
def proposals(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also those that are answered, or held back by a rule.")] = False,
    as_json: Json = False,
) -> None:
    """List the proposals."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.review_view import list_proposals

        raise typer.Exit(list_proposals(every=every, as_json=as_json))


@proposals_app.command()
def review() -> None:
    """Go through the proposals one by one: approve, edit, skip or reject each."""
    from wisen.surfaces.cli.review_view import review as run

    raise typer.Exit(run())


@proposals_app.command(name="show")
def show_proposal(proposal: ProposalId, as_json: Json = False) -> None:
    """Show one proposal: the reason, the diff and what it costs."""
    from wisen.surfaces.cli.review_view import show_proposal as run

    raise typer.Exit(run(proposal, as_json=as_json))


def _answer(name: str, does: str, *, may_edit: bool = False) -> None:
    """Add a command that answers a proposal."""

    def run(
        proposal: ProposalId,
        text: Annotated[Optional[str], typer.Option("--text", help="The rule in your own words.")] = None,  # noqa: UP045 - as above
        to: Annotated[
            Optional[str],  # noqa: UP045 - as above
            typer.Option(
                "--to",
                metavar="PLACE",
                help="Where the rule goes: file, local, rules, own or hook. This is remembered.",
            ),
        ] = None,
        dry_run: DryRun = False,
        as_json: Json = False,
    ) -> None:
        from wisen.model.entry import Answer
        from wisen.surfaces.cli.review_view import answer_proposal

        given = Answer({"approve": "approved", "reject": "rejected", "skip": "skipped"}.get(name, name))
        raise typer.Exit(answer_proposal(proposal, given, text=text, to=to, dry_run=dry_run, as_json=as_json))

    def run_as_it_is(proposal: ProposalId, dry_run: DryRun = False, as_json: Json = False) -> None:
        run(proposal, None, None, dry_run, as_json)

    proposals_app.command(name=name, help=does)(run if may_edit else run_as_it_is)


_answer("approve", "Approve a proposal: write the rule into its file.", may_edit=True)
_answer("reject", "Reject a proposal: it does not come back, in any wording.")
_answer("skip", "Skip a proposal until the lesson comes up again.")
_answer("later", "Leave a proposal in the list for later.")


@proposals_app.command(name="place")
def choose_place(
    place: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Argument(metavar="PLACE", help="file, local, rules or hook; ask: ask me again."),
    ] = None,
    file: Annotated[str, typer.Option("--file", help="The file that the rules would go to otherwise.")] = "CLAUDE.md",
    context: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--context", help="The project, by its key. Default: that of this folder."),
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="For rules of all projects.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Show or choose where approved rules go.

    Used instead of a file that is too long. Applies to this project.
    """
    from wisen.surfaces.cli.place_view import choose_place, list_places

    if place is None:
        raise typer.Exit(list_places(as_json=as_json))
    raise typer.Exit(choose_place(place, file, context="" if everywhere else context, dry_run=dry_run, as_json=as_json))


@proposals_app.command(name="try")
def try_proposal(proposal: ProposalId, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Put a proposal on trial first.

    Only if you allowed experiments: wisen trials on
    """
    from wisen.surfaces.cli.review_view import try_out

    raise typer.Exit(try_out(proposal, dry_run=dry_run, as_json=as_json))
