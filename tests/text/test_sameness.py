"""Reworded lessons count as the same, opposites never do; measured on labelled pairs."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.text.sameness import LessonIndex, are_opposed, are_same, similarity
from wisen.text.slots import Slots, slots_of

Pairs = list[tuple[str, str]]

TUNED_SAME = [
    ("Use pnpm, not npm.", "please use pnpm instead of npm"),
    ("Use pnpm, not npm.", "Again: pnpm rather than npm!"),
    ("Use pnpm, not npm.", "Don't use npm, use pnpm."),
    ("Use pnpm, not npm.", "This repo uses pnpm, not npm."),
    ("Use pnpm, not npm.", "Switch from npm to pnpm."),
    ("Never push straight to main.", "Do not push directly to main."),
    ("Never push straight to main.", "I told you to never push to main directly!"),
    ("Run the unit tests before committing.", "Before you commit, run the unit tests."),
    ("Run the unit tests before committing.", "please always run unit tests before each commit"),
    ("Run the unit tests before committing.", "Never commit without running the unit tests."),
    ("Add type hints to every function.", "All functions need type hints."),
    ("Never edit files in src/generated.", "Don't edit any file in src/generated/"),
    ("Never edit files in src/generated.", "Files in src/generated must not be edited."),
    ("Write commit messages in English.", "Commit messages should be written in English."),
    ("Keep functions under 40 lines.", "Functions should stay under 40 lines, please."),
    ("Use `uv pip install` instead of `pip install`.", "`uv pip install`, not `pip install`"),
    ("Do not use `--no-verify`.", "Never pass --no-verify."),
    ("Use single quotes in TypeScript.", "In TypeScript, use single quotes."),
    ("Avoid mocks in the integration tests.", "No mocks in integration tests."),
    ("Avoid mocks in the integration tests.", "I said: don't use mocks in the integration tests"),
    ("Update CHANGELOG.md with every release.", "With each release, CHANGELOG.md must be updated."),
    ("Ask before deleting files.", "Please ask me before you delete any files."),
    ("Prefer composition over inheritance.", "Use composition instead of inheritance."),
    ("Replace moment with date-fns.", "Use date-fns, not moment."),
    ("Stop adding comments to the code.", "Don't add comments to the code."),
    ("Do not commit `.env` files.", "Never commit the .env file."),
    ("Use the logger, never print.", "Don't print, use the logger."),
    ("Sort imports alphabetically.", "Imports should be sorted alphabetically."),
    ("The API runs on port 8080.", "Remember that the API is running on port 8080."),
    ("Use conventional commits.", "From now on, use conventional commits please."),
    ("Put new components in src/components.", "New components go into src/components."),
    ("Always squash commits before merging.", "Squash your commits before you merge."),
    ("Keep answers short.", "Please keep your answers short, thanks."),
    ("Don't run the whole test suite.", "I asked you not to run the whole test suite!"),
    ("Explain what you changed after each edit.", "After every edit, explain what you've changed."),
    ("Use the staging bucket for uploads.", "Uploads should use the staging bucket."),
    ("Never commit directly to the release branch.", "You must not commit to the release branch directly."),
    ("Reply in German.", "Please reply to me in German."),
    ("Reply in German.", "I told you: answer in German!"),
    ("Keep the public API stable.", "The public API has to stay stable."),
    ("Run `cargo fmt` after editing Rust files.", "After you edit Rust files run `cargo fmt`."),
    ("Don't rename files without asking.", "Ask me before you rename any file."),
    ("Use the existing helper instead of writing a new one.", "Don't write a new helper, use the existing one."),
    ("Tests live next to the source files.", "The tests live next to source files."),
    ("Do not guess, read the code.", "Read the code, don't guess."),
    ("Never delete user data.", "User data must never be deleted."),
    ("Never delete user data.", "Stop deleting user data!!"),
    ("Use environment variables for secrets.", "Secrets should come from env variables."),
    ("Show the command before running it.", "Before running it, show me the command."),
    ("Write the summary in three bullet points.", "The summary should be written in three bullet points."),
    ("Don't add trailing whitespace.", "No trailing whitespace please."),
    ("Use kebab-case for file names.", "File names should be in kebab-case."),
    ("Wait for CI before merging.", "Do not merge before CI is done, wait for CI."),
    ("Use semantic versioning.", "We're using semantic versioning."),
    ("Generate migrations with alembic.", "Migrations are generated with alembic."),
    ("Do not mock the databse.", "Do not mock the database."),
    ("Never use `any` in TypeScript.", "In TypeScript never use any."),
    ("Avoid abbreviations in variable names.", "Don't use abbreviations in variable names."),
    ("Use `git switch` and not `git checkout`.", "It's `git switch`, not `git checkout`."),
    ("Use the v2 endpoint.", "You should be using the v2 endpoint."),
    ("Only change the files I mention.", "Change only the files which I mention."),
    ("Check the logs before restarting the worker.", "you need to check the logs first before restarting the worker"),
    ("Don't touch the billing module.", "hands off the billing module"),
    ("Don't touch the billing module.", "Leave the billing module alone, don't touch it."),
    ("Use the test database for experiments.", "experiments go against the test database, as I said"),
    ("Always answer with a code block.", "Your answers should always contain a code block."),
    (
        "Use `poetry add` to add packages, not `pip install`.",
        "Packages are added with `poetry add`, never with `pip install`.",
    ),
    ("Never hardcode credentials.", "no hardcoded credentials!!"),
    ("Never hardcode credentials.", "Credentials should never be hardcoded."),
    ("Do not open a browser.", "Please stop opening a browser."),
    ("Write tests for edge cases.", "Edge cases need tests."),
    ("Use early returns.", "Can you please use early returns?"),
    ("Do not summarise what you did.", "I don't need you to summarise what you did."),
    ("Use UTC everywhere.", "Everything must be in UTC."),
    ("Run the type checker after every change.", "After each change run the type checker."),
    ("Do not create new files unless needed.", "Don't create new files unless they are needed."),
    ("Use tabs for indentation.", "Indent with tabs."),
    ("Prefer small commits.", "Make your commits small."),
    ("Prefer plain functions over classes.", "Plain functions rather than classes please."),
    ("Read CONTRIBUTING.md first.", "First read CONTRIBUTING.md!"),
    ("Keep the old endpoint working.", "The old endpoint has to keep working."),
    ("Never merge your own pull requests.", "Do not merge your own PRs."),
    ("Ask if something is unclear.", "If something is unclear, ask."),
    ("The config lives in settings/base.toml.", "Remember, config lives in settings/base.toml"),
    ("Don't use abbreviations.", "Avoid using abbreviations."),
    ("Use `make dev` to start the server.", "Start the server with `make dev`."),
    ("Use optional chaining instead of nested ifs.", "Replace nested ifs with optional chaining."),
    ("Do not change the public interface.", "The public interface must not change."),
    ("Use fixtures, not setUp.", "We use fixtures and not setUp here."),
    ("Put the imports at the top of the file.", "Imports belong at the top of the file."),
    ("Do not suppress warnings.", "Warnings must not be suppressed, ever."),
]
"""One lesson in two wordings; the rules were made while looking at these."""
TUNED_OPPOSED = [
    ("Use British spelling in the docs.", "Use American spelling in the docs."),
    ("Table names are plural.", "Table names are singular."),
    ("Use pnpm, not npm.", "Use npm, not pnpm."),
    ("Always squash commits.", "Never squash commits."),
    ("Add comments.", "Don't add comments."),
    ("Use tabs.", "Use spaces, not tabs."),
    ("Commit the lockfile.", "Do not commit the lockfile."),
    ("Prefer composition over inheritance.", "Prefer inheritance over composition."),
    ("Run the formatter before committing.", "Never run the formatter before committing."),
    ("Use single quotes instead of double quotes.", "Use double quotes instead of single quotes."),
    ("Avoid default exports.", "Use default exports."),
    ("Switch from yarn to bun.", "Switch from bun to yarn."),
    ("Replace axios with fetch.", "Use axios rather than fetch."),
    ("Use `git rebase`, not `git merge`.", "Use `git merge`, not `git rebase`."),
    ("Never pass --force.", "Always pass --force."),
    ("Ask before deleting files.", "Don't ask before deleting files."),
    ("Write long commit messages.", "Don't write long commit messages."),
    ("Use Docker for local development.", "Do not use Docker for local development."),
    ("Use Docker for local development.", "No Docker for local development!"),
    ("Put tests in tests/, not in src/.", "Put tests in src/, not in tests/."),
    ("We use jest, not vitest.", "We switched from jest to vitest."),
    ("Prefer async functions.", "Avoid async functions."),
    ("Log errors and never swallow them.", "Swallow errors, never log them."),
    ("Use fixtures, not setUp.", "We prefer setUp to fixtures."),
    ("Keep the old endpoint working.", "Do not keep the old endpoint working."),
    ("Open a browser after the build.", "Never open a browser after the build."),
    ("Ask if something is unclear.", "Don't ask if something is unclear."),
    ("Use UTC, not local time.", "Use local time, not UTC."),
    ("Summaries are welcome.", "Summaries are not welcome."),
    ("Run tests in parallel.", "Don't run tests in parallel."),
    ("Always rebase before merging.", "Never rebase before merging."),
    ("Use optional chaining.", "Optional chaining is forbidden."),
    ("We moved from REST to GraphQL.", "We moved from GraphQL to REST."),
    ("Prefer `const` over `let`.", "Prefer `let` over `const`."),
    ("Commit generated files.", "Generated files should not be committed."),
    ("Allow implicit any.", "Do not allow implicit any."),
    ("Wrap lines at 80, not 100.", "Wrap lines at 100, not 80."),
    ("Use the old client rather than the new one.", "Use the new client rather than the old one."),
    ("Don't stop the server after the tests.", "Stop the server after the tests."),
    ("Nobody uses yarn here, use npm.", "Nobody uses npm here, use yarn."),
]
"""One asks for what the other refuses."""
TUNED_OTHER = [
    ("Use pnpm, not npm.", "Use pnpm 9."),
    ("Run the unit tests before committing.", "Run the linter before committing."),
    ("Never edit migrations/.", "Run the migrations before tests."),
    ("Run the tests before committing.", "Commit before running the tests."),
    ("Never edit files in src/generated.", "Never edit files in src/vendor."),
    ("Add type hints to every function.", "Add docstrings to every function."),
    ("Do not use `--no-verify`.", "Do not use `--force`."),
    ("Write commit messages in English.", "Write comments in English."),
    ("Keep functions under 40 lines.", "Keep files under 400 lines."),
    ("The API runs on port 8080.", "The frontend runs on port 3000."),
    ("Use the logger, never print.", "Configure the logger in main.py."),
    ("Rename foo to bar.", "Rename bar to foo."),
    ("Ask before deleting files.", "Ask before adding dependencies."),
    ("Avoid mocks in the integration tests.", "Avoid sleeps in the integration tests."),
    ("Fix the tests.", "Write the tests."),
    ("Use `npm test` to run the tests.", "Use `npm run lint` to check the style."),
    ("Never push to main.", "Never push unless I ask."),
    ("Put new components in src/components.", "Put new hooks in src/hooks."),
    ("Use React 18.", "Use React Query."),
    ("Update CHANGELOG.md with every release.", "Update README.md with every release."),
    ("Reply in German.", "Write comments in German."),
    ("Never delete user data.", "Never delete user accounts."),
    ("Use the staging bucket for uploads.", "Use the production bucket for uploads."),
    ("Wait for CI before merging.", "Wait for review before merging."),
    ("Keep the public API stable.", "Keep the private API small."),
    ("Run `cargo fmt` after editing Rust files.", "Run `cargo clippy` after editing Rust files."),
    ("Use kebab-case for file names.", "Use kebab-case for branch names."),
    ("Don't add trailing whitespace.", "Don't add trailing newlines."),
    ("Generate migrations with alembic.", "Generate types with openapi."),
    ("Add a test for every bug you fix.", "Add a changelog entry for every bug you fix."),
    ("Use mocks in unit tests.", "Use mocks in integration tests."),
    ("Don't use mocks in unit tests.", "Use mocks in integration tests."),
    ("Fix the failing test in auth.py.", "Fix the failing test in billing.py."),
    ("Show the command before running it.", "Show the diff before committing it."),
    ("Never use `any` in TypeScript.", "Never use `var` in JavaScript."),
    ("The tests need a running database.", "The tests need a running redis."),
    ("Add tests.", "Add tests for the parser."),
    ("Run tests in parallel.", "Run tests."),
    ("Use the name of the user.", "Use the id of the user."),
    ("Don't ask me questions.", "Ask me questions before you start coding."),
    ("Check the logs before restarting the worker.", "Check the queue before restarting the worker."),
    ("Don't touch the billing module.", "Don't touch the auth module."),
    ("Use the test database for experiments.", "Use the test database for demos."),
    ("Run the type checker after every change.", "Run the type checker before every release."),
    ("Never hardcode credentials.", "Never hardcode paths."),
    ("Use early returns.", "Use early stopping."),
    ("Read CONTRIBUTING.md first.", "Read SECURITY.md first."),
    ("Use `make dev` to start the server.", "Use `make prod` to start the server."),
    ("Put the imports at the top of the file.", "Put the constants at the top of the file."),
    ("Do not suppress warnings.", "Do not suppress errors."),
    ("Prefer small commits.", "Prefer small functions."),
    ("The config lives in settings/base.toml.", "The config lives in settings/test.toml."),
    ("Import the client from the server package.", "Import the server from the client package."),
    ("Never merge your own pull requests.", "Never approve your own pull requests."),
    ("Retry failed requests three times.", "Retry failed requests five times."),
    ("Restart the worker after changing the config.", "Change the config after restarting the worker."),
    ("Write tests for edge cases.", "Write docs for edge cases."),
    ("Do not create new files unless needed.", "Do not create new branches unless needed."),
    ("Use one branch for each feature.", "Use one worktree for each feature."),
    ("Keep the old endpoint working.", "Keep the new endpoint working."),
]
"""Much alike, and two lessons."""
HELD_SAME = [
    ("Use ruff, not flake8.", "We use ruff here, not flake8."),
    ("Use ruff, not flake8.", "Prefer ruff over flake8, please."),
    ("Use ruff, not flake8.", "I told you to use ruff instead of flake8."),
    ("Use ruff, not flake8.", "Replace flake8 with ruff."),
    ("Use ruff, not flake8.", "stop using flake8, use ruff"),
    ("Never force-push.", "Don't force push!"),
    ("Never force-push.", "Please stop force-pushing."),
    ("Run `make lint` before every commit.", "Before committing, please run `make lint`."),
    ("Run `make lint` before every commit.", "Don't commit without running `make lint`."),
    ("Use absolute imports.", "Imports should be absolute."),
    ("Always write tests first.", "Please write the tests first."),
    ("Never log passwords.", "Passwords must never be logged."),
    ("Never log passwords.", "Do not log any passwords."),
    ("Keep the README up to date.", "The README has to be kept up to date."),
    ("Use snake_case for column names.", "Column names use snake_case."),
    ("Use snake_case for column names.", "Again, snake_case for the column names!"),
    ("Deploy with `fly deploy`, not `docker push`.", "Use `fly deploy` instead of `docker push` to deploy."),
    ("Don't touch config/prod.yaml.", "Never touch config/prod.yaml again."),
    ("Avoid global variables.", "Do not use global variables."),
    ("Avoid global variables.", "No global variables, please."),
    ("Format dates as ISO 8601.", "Dates should be formatted as ISO 8601."),
    ("Close the issue after merging the pull request.", "After the pull request is merged, close the issue."),
    ("Show me the plan before you change anything.", "Before changing anything, show me the plan."),
    ("Import from @acme/ui, not from src/ui.", "Use @acme/ui rather than src/ui for imports."),
    ("Do not add new dependencies without asking.", "Never add a new dependency without asking me."),
    ("Do not add new dependencies without asking.", "Ask before adding new dependencies."),
    ("Use British spelling in the docs.", "The docs use British spelling."),
    ("Do not catch broad exceptions.", "Don't catch broad exceptions, I said."),
    ("Pin versions in requirements.txt.", "Versions in requirements.txt should be pinned."),
    ("Run only the tests you need.", "Please only run the tests that you need."),
    ("Use dependency injection instead of singletons.", "No singletons, use dependency injection."),
    ("Return early instead of nesting.", "Prefer returning early over nesting."),
    ("Name branches feature/NAME.", "Branches should be named feature/NAME."),
    ("The staging database is read-only.", "Remember: the staging db is read-only."),
    ("Quote the ticket number in every commit.", "Every commit should quote the ticket number."),
    ("Don't install anything globally.", "Never install anything globally, please!"),
    ("Use Postgres instead of SQLite in tests.", "In tests use Postgres, not SQLite."),
    ("Verify the checksum after downloading.", "Check the checksum after the download."),
    ("Stop inventing API names.", "Do not invent API names."),
    ("Use relative paths in links.", "Links should have relative paths."),
    ("Bump the version in pyproject.toml.", "The version in pyproject.toml has to be bumped."),
    ("Use plain English in error messages.", "Error messages in plain English, please."),
    ("Mark slow tests with @pytest.mark.slow.", "Slow tests should be marked with `@pytest.mark.slow`."),
    ("Do not reformat unrelated code.", "Don't go reformatting unrelated code again."),
]
"""As above, but measured only after the rules were made."""
HELD_OPPOSED = [
    ("Use ruff, not flake8.", "Use flake8 instead of ruff."),
    ("Always use semicolons.", "Never use semicolons."),
    ("Write docstrings.", "Do not write docstrings."),
    ("Use classes.", "Use functions, not classes."),
    ("Push after every commit.", "Don't push after every commit."),
    ("Prefer tabs over spaces.", "Use spaces instead of tabs."),
    ("Stop using emojis in answers.", "Use emojis in answers."),
    ("Don't use `pip`, use `uv`.", "Don't use `uv`, use `pip`."),
    ("Mock the database in tests.", "Tests must not mock the database."),
    ("Rebase, never merge.", "Merge, never rebase."),
    ("No trailing commas.", "Always add trailing commas."),
    ("Deploy on Fridays.", "Avoid deploying on Fridays."),
    ("Use @acme/ui instead of @acme/legacy-ui.", "Use @acme/legacy-ui, not @acme/ui."),
    ("Build without cache.", "Build with cache."),
    ("Inline small helpers.", "Small helpers should not be inlined."),
    ("Use Postgres instead of SQLite in tests.", "In tests use SQLite instead of Postgres."),
    ("Choose clarity over speed.", "Choose speed over clarity."),
    ("It's fine to use globals.", "It's not fine to use globals."),
    ("You can push to main.", "You can't push to main."),
    ("Write the docs in Markdown and not in HTML.", "Write the docs in HTML and not in Markdown."),
    ("Skip the slow tests.", "Never skip the slow tests."),
    ("Do use emojis.", "Do not use emojis."),
    ("Use emojis!", "Use no emojis!"),
    ("Instead of `npm ci` run `npm install`.", "Instead of `npm install` run `npm ci`."),
    ("Commit early, don't squash.", "Squash, don't commit early."),
    ("Not tabs but spaces.", "Not spaces but tabs."),
    (
        "Sign commits with the work key, never the private key.",
        "Sign commits with the private key, never the work key.",
    ),
    ("Cache responses from the API.", "Cache no responses from the API."),
]
"""As above."""
HELD_OTHER = [
    ("Use ruff, not flake8.", "Use ruff 0.5."),
    ("Run `make lint` before every commit.", "Run `make test` before every commit."),
    ("Never log passwords.", "Never store passwords."),
    ("Use snake_case for column names.", "Use snake_case for file names."),
    ("Don't touch config/prod.yaml.", "Don't touch config/dev.yaml."),
    ("Format dates as ISO 8601.", "Format numbers with two decimals."),
    ("Avoid global variables.", "Avoid global styles."),
    ("Close the issue after merging.", "Close the branch after merging."),
    ("Copy the schema from api to web.", "Copy the schema from web to api."),
    ("Deploy after the tests pass.", "Run the tests after you deploy."),
    ("Keep the README short.", "Keep the answers short."),
    ("Use `uv sync`.", "Use `uv lock`."),
    ("Do not catch broad exceptions.", "Do not raise broad exceptions."),
    ("The staging database is read-only.", "The staging server is slow."),
    ("Use Node 20.", "Use Node 22 for the worker."),
    ("Ask me before you push.", "Ask me before you merge."),
    ("Pin versions in requirements.txt.", "Sort lines in requirements.txt."),
    ("Name branches feature/NAME.", "Name tests after the feature."),
    ("Return None when nothing is found.", "Raise KeyError when nothing is found."),
    ("Never use `sudo`.", "Never use `rm -rf`."),
    ("Write tests in tests/unit.", "Write tests in pytest style."),
]
"""As above."""
UNTOLD = [
    ("Let the server call the client.", "Let the client call the server."),
    ("Make the header bigger than the footer.", "Make the footer bigger than the header."),
    ("Put the summary above the table.", "Put the table above the summary."),
    ("Turn caching on.", "Turn caching off."),
    ("The UI depends on the core.", "The core depends on the UI."),
    ("Use strict mode except in tests.", "Use strict mode in tests."),
    ("Ask first, then act.", "Act first, then ask."),
    ("Yes, add a license header.", "Hardly ever add a license header."),
]
"""Opposites that are not recognized as such, a shortcoming: they must not become one lesson all the same."""

TURNED = [
    ("Include stack traces in the logs.", "Exclude stack traces from the logs."),
    ("Run the slow tests.", "Skip the slow tests."),
    ("Use fewer comments.", "Use more comments."),
    ("Run the tests before pushing.", "Run the tests after pushing."),
    ("Before you commit, run the linter.", "After you commit, run the linter."),
    ("Enable caching in CI.", "Please always disable caching in CI."),
    ("Build with cache.", "Build without cache."),
    ("Use tabs for indentation.", "Indent with spaces."),
    ("Use tabs.", "Use spaces."),
    ("Keep helpers private.", "Keep helpers public."),
    ("Sort imports ascending.", "Sort imports descending."),
    ("Allow force pushes to main.", "Forbid force pushes to main."),
    ("Add a changelog entry for each fix.", "Remove the changelog entry for each fix."),
]
"""Opposites by one replaced word."""
NOT_TURNED = [
    ("Show line numbers.", "Hide the sidebar."),
    ("Enable strict mode in tests.", "Disable caching in CI."),
    ("Add tests for the parser.", "Remove tests for the lexer."),
    ("Use tabs in Makefiles.", "Use spaces in Python files."),
    ("Keep functions private.", "Keep methods public."),
    ("Add 3 retries.", "Remove 4 retries."),
    ("Never enable telemetry.", "Never disable telemetry."),
    ("Add the header and remove the footer.", "Remove the header and add the footer."),
    ("Start the server.", "Stop the tests."),
    ("Enable it.", "Disable it."),
    ("Run the tests before pushing.", "Run the tests after merging."),
    ("Open the file.", "Close the issue."),
]
"""Pairs that share such words but ask for different things, or for both."""

ALL_SAME, ALL_OTHER = TUNED_SAME + HELD_SAME, TUNED_OTHER + HELD_OTHER + NOT_TURNED
CHANGED = [
    ("Use Python 3.11.", "Use Python 3.12."),
    ("Indent with 2 spaces.", "Indent with 4 spaces."),
    ("Use the v2 endpoint.", "Use the v3 endpoint."),
    ("Reply in German.", "Reply in French."),
    ("Keep lines below 100 characters.", "Keep lines below 80 characters."),
    ("Set the timeout to 30 seconds.", "Set the timeout to 60 seconds."),
    ("Always use pnpm, not npm.", "Use bun, not pnpm."),
    ("Use pnpm, not npm.", "From now on use bun."),
    ("Use bun, not pnpm.", "Go back to pnpm."),
    ("Use bun, not pnpm.", "We are back on pnpm."),
    ("Use pnpm, not npm.", "Forget pnpm, use bun."),
    ("Use pip.", "Use uv."),
    ("Use single quotes.", "Use double quotes."),
    ("Never add emojis.", "Emojis are fine again."),
    ("Never add emojis.", "You may use emojis."),
    ("Never push to main.", "Pushing to main is allowed."),
    ("Always write docstrings.", "No docstrings please."),
    ("Write docstrings.", "Docstrings are not needed anymore."),
]
"""A change of mind: only one of the two can be what the user wants."""
FOREIGN = [
    ("Benutze pnpm, nicht npm.", "Benutze bun statt pnpm."),
    ("Usa pnpm, no npm.", "Usa bun en vez de pnpm."),
    ("Utilise pnpm, pas npm.", "Utilise bun au lieu de pnpm."),
    ("Usa pnpm, non npm.", "Usa bun invece di pnpm."),
    ("Use o pnpm, não o npm.", "Use o bun em vez do pnpm."),
    ("Gebruik pnpm, niet npm.", "Gebruik bun in plaats van pnpm."),
    ("Använd pnpm, inte npm.", "Använd bun istället för pnpm."),
    ("Używaj pnpm, nie npm.", "Używaj bun zamiast pnpm."),
    ("Используй pnpm, а не npm.", "Используй bun вместо pnpm."),
    ("Використовуй pnpm, а не npm.", "Використовуй bun замість pnpm."),
    ("用 pnpm，不要用 npm。", "用bun，不要用pnpm。"),
    ("npmではなくpnpmを使って", "pnpmではなくbunを使って"),
    ("npm 말고 pnpm 사용", "pnpm 대신 bun 사용"),
    ("npm yerine pnpm kullan", "pnpm yerine bun kullan"),
]
"""The other thing is named as what is not wanted, in other languages."""
BESIDE = [
    ("Use bun for scripts.", "Use pnpm for installs."),
    ("Never add emojis to commits.", "Use emojis in the README."),
    ("Never push to main.", "Push to feature branches."),
    ("Do not run the tests.", "Add tests."),
    ("Use tabs in Makefiles.", "Use spaces in Python."),
    ("Do not use npm.", "Use npm ci in CI."),
    ("Never use sudo.", "You may use sudo in the container."),
    ("Never amend commits.", "Amend the last commit."),
    ("Use port 8080 for the shop.", "Use port 8081 for the bakery."),
    ("Never add comments.", "Write comments in English."),
    ("Benutze bun statt pnpm.", "Benutze vitest statt jest."),
]
"""Pairs that can both hold."""
ALL_OPPOSED = TUNED_OPPOSED + HELD_OPPOSED + TURNED + CHANGED + FOREIGN


def sides(wanted: str, unwanted: str = "") -> Slots:
    asked, refused = (frozenset(filter(None, side.split("|"))) for side in (wanted, unwanted))
    return Slots(asked, refused)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use pnpm, not npm.", sides("pnpm", "npm")),
        ("use pnpm instead of npm", sides("pnpm", "npm")),
        ("Instead of npm, use pnpm", sides("pnpm", "npm")),
        ("pnpm rather than npm", sides("pnpm", "npm")),
        ("Prefer pnpm over npm.", sides("pnpm", "npm")),
        ("I prefer pnpm to npm.", sides("pnpm", "npm")),
        ("Don't use npm, use pnpm.", sides("pnpm", "npm")),
        ("don’t use npm use pnpm", sides("pnpm", "npm")),
        ("pnpm, never npm", sides("pnpm", "npm")),
        ("Not npm but pnpm.", sides("pnpm", "npm")),
        ("Switch from npm to pnpm.", sides("pnpm", "npm")),
        ("We switched to pnpm from npm.", sides("pnpm", "npm")),
        ("Replace npm with pnpm.", sides("pnpm", "npm")),
        ("npm was replaced by pnpm", sides("pnpm", "npm")),
        ("Drop npm in favor of pnpm.", sides("pnpm", "npm")),
        ("Always squash commits.", sides("squash|commit")),
        ("Never squash commits.", sides("", "squash|commit")),
        ("Do **not** squash commits.", sides("", "squash|commit")),
        ("Avoid squashing commits.", sides("", "squash|commit")),
        ("Stop squashing commits!", sides("", "squash|commit")),
        ("Stop force-pushing.", sides("", "forc|push")),
        ("Stop the server.", sides("stop|server")),
        ("No squashed commits.", sides("", "squash|commit")),
        ("No, squash the commits.", sides("squash|commit")),
        ("Commits must not be squashed.", sides("", "squash|commit")),
        ("Squashed commits are forbidden.", sides("", "squash|commit")),
        ("Don't forget to squash commits.", sides("squash|commit")),
        ("Build without cache.", sides("build|without", "cach")),
        ("Never use npm, yarn, or bun.", sides("", "npm|yarn|bun")),
        ("Use spaces, not tabs, in Makefiles.", sides("spac|makefil", "tab")),
        ("Use `git  rebase -i` instead of `git merge`.", sides("git rebase -i", "git merge")),
        ("Use --force-with-lease, not --force.", sides("--force-with-lease", "--force")),
        ("Never pass --no-verify.", sides("", "pass|--no-verify")),
        ("Use @acme/ui rather than @acme/old-ui.", sides("@acme/ui", "@acme/old-ui")),
        ("Edit .env.local, not ./config/app.toml.", sides("edit|.env.local", "config/app.toml")),
        ("Write C++, not C#.", sides("writ|c++", "c#")),
        ("Never commit without running `make lint`.", sides("before→commit|run|make lint")),
        ("Before committing, run the tests.", sides("before→commit|run|test")),
        ("Rename old.py to new.py.", sides("renam|old.py|to→new.py")),
        ("Nutze pnpm, nicht npm.", sides("pnpm", "npm")),
        ("", sides("")),
        ("` ` use it!", sides("")),
    ],
)
def test_a_lesson_is_read_for_what_it_asks_for_and_what_it_refuses(text: str, expected: Slots) -> None:
    read = slots_of(text)
    assert (read.wanted, read.unwanted) == expected[:2]


@pytest.mark.parametrize("pair", ALL_OPPOSED)
def test_opposites_are_detected_and_never_one_lesson(pair: tuple[str, str]) -> None:
    one, other = map(slots_of, pair)
    assert are_opposed(one, other)
    assert are_opposed(other, one)
    assert similarity(*pair) == similarity(*pair[::-1]) == 0.0


@pytest.mark.parametrize("pair", ALL_OTHER + BESIDE)
def test_lessons_that_share_most_words_are_two(pair: tuple[str, str]) -> None:
    assert not are_same(*pair)
    assert not are_opposed(slots_of(pair[0]), slots_of(pair[1]))


@pytest.mark.parametrize("pair", UNTOLD)
def test_undetected_opposites_are_still_two_lessons(pair: tuple[str, str]) -> None:
    assert not are_same(*pair)


@pytest.mark.parametrize("pairs", [TUNED_SAME, HELD_SAME], ids=["tuned", "held"])
def test_most_rewordings_are_recognized_and_none_is_taken_for_the_opposite(pairs: Pairs) -> None:
    assert not [pair for pair in pairs if are_opposed(slots_of(pair[0]), slots_of(pair[1]))]
    assert sum(are_same(*pair) for pair in pairs) >= 0.9 * len(pairs)
    assert [similarity(*pair) for pair in pairs] == [similarity(*pair[::-1]) for pair in pairs]


def test_among_all_lessons_the_right_one_is_found() -> None:
    lessons = LessonIndex()
    for one, _ in ALL_SAME + ALL_OPPOSED + ALL_OTHER + UNTOLD:
        lessons.add(one, one)
    found = [(one, lessons.find(other)) for one, other in ALL_SAME]
    assert sum(one == there for one, there in found) >= 0.9 * len(found)
    assert len([there for one, there in found if there not in (one, None)]) <= 0.05 * len(found)
    assert not [pair for pair in ALL_OPPOSED + ALL_OTHER + UNTOLD if lessons.find(pair[1]) == pair[0]]
    assert all(one in lessons.find_opposites(other) for one, other in ALL_OPPOSED)


@pytest.mark.parametrize(
    "frame", ["Please {}, thanks!", "Again: {}", "I told you to {}.", "from now on {} please", "You should {}", "- {}"]
)
def test_how_politely_or_how_often_it_is_said_does_not_matter(frame: str) -> None:
    for one, _ in ALL_SAME:
        if slots_of(one).wanted and one.split()[0] in {"Use", "Run", "Add", "Write", "Put", "Ask", "Read", "Keep"}:
            assert are_same(one, frame.format(one[0].lower() + one[1:-1])), one


def test_a_slip_of_the_pen_does_not_make_another_lesson() -> None:
    assert are_same("Do not mock the databse in tests.", "Do not mock the database in tests.")
    assert not are_same("Use vitest in the project.", "Use vite in the project.")
    lessons = LessonIndex()
    lessons.add("a", "Mention the migration in the changelog.")
    assert lessons.find("Mention the migraton in the changelog") == "a"


def test_a_command_in_backticks_and_in_plain_words_is_the_same() -> None:
    assert are_same("Run `npm test` before committing.", "Before committing, run npm test.")
    assert are_opposed(slots_of("Use `npm test`."), slots_of("Never use npm test."))


def test_what_hardly_says_anything_is_no_lesson_to_be_found() -> None:
    lessons = LessonIndex()
    lessons.add("a", "Run it.")
    lessons.add("b", "Use it for all of them!")
    assert lessons.find("just keep it running") is None
    assert lessons.find("use one of these") is None
    assert lessons.find("run it") == "a"


def test_a_key_goes_before_the_text_and_the_text_before_likeness() -> None:
    lessons = LessonIndex()
    lessons.add("likeness", "Please use pnpm, not npm, here.")
    lessons.add("text", "Use pnpm, not npm.")
    lessons.add("key", "Sort the imports.", key="style.imports")
    assert lessons.find("use  PNPM, not npm", key="tools.npm") == "text"
    assert lessons.find("Use pnpm, not npm.", key="style.imports") == "key"
    assert lessons.find("pnpm instead of npm") == "likeness"
    assert lessons.find("Use yarn, not npm.") is None


def test_a_lesson_may_have_several_wordings_and_is_delivered_once() -> None:
    lessons = LessonIndex()
    lessons.add("a", "Use pnpm, not npm.")
    lessons.add("a", "The package manager is pnpm.")
    lessons.add("b", "Run the migrations before the tests.")
    assert lessons.find("pnpm is the package manager") == "a"
    assert lessons.find_opposites("Use npm instead of pnpm") == ["a"]
    assert lessons.find_opposites("Never edit migrations/") == []


WORDS = st.sampled_from(
    "use not never don't instead of avoid stop no before after without until switch from to replace with , . : ` `a b` "
    "-- --x a/b @s/p 3.1 tests running run commit commits always prefer over only nicht * _x_ unless or and "
    "enable disable tabs spaces add remove".split(" ")
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60)


@given(TEXTS, TEXTS)
def test_any_two_texts_can_be_compared_either_way(one: str, other: str) -> None:
    read, theirs = slots_of(one), slots_of(other)
    assert not read.wanted & read.unwanted
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, other) == pytest.approx(similarity(other, one))
    assert are_opposed(read, theirs) == are_opposed(theirs, read)
    assert not (are_opposed(read, theirs) and similarity(read, theirs))


@given(TEXTS)
def test_a_text_is_never_its_own_opposite_and_is_found_again(text: str) -> None:
    assert not are_opposed(slots_of(text), slots_of(text))
    lessons = LessonIndex()
    lessons.add("a", text)
    assert lessons.find(text) == "a"
    assert lessons.find_opposites(text) == []


def generate_lessons(count: int, seed: int) -> list[str]:
    """Lessons of few words in all, so that many share much."""
    pick = random.Random(seed).choice
    verbs = "check format build deploy review update cache sort split document validate pin ship tag".split()
    kinds = "slow flaky public private staging payment login search report admin mobile nightly".split()
    things = "tests docs schema imports routes queries errors types hooks styles dates tables".split()
    ends = ["before pushing", "in src/app", "with --fast", "for the {} service", "when the {} change", "with `make {}`"]
    starts = ["Never", "Always", "Please", "Do not", "Use make to", "You should"]
    return [
        f"{pick(starts)} {pick(verbs)} the {pick(kinds)} {pick(things)} {pick(ends).format(pick(things))}."
        for _ in range(count)
    ]


def test_the_lookup_finds_whatever_a_comparison_with_every_lesson_finds() -> None:
    texts = generate_lessons(250, 1)
    read = {text: slots_of(text) for text in texts}
    lessons = LessonIndex()
    for text in texts:
        lessons.add(text, text)
    asked = generate_lessons(30, 2)
    found = 0
    for text in asked:
        near = [each for each in texts if are_same(text, each)]
        there = lessons.find(text)
        found += bool(near)
        assert (there in near) if near else there is None
        assert lessons.find_opposites(text) == [each for each in read if are_opposed(slots_of(text), read[each])]
    assert found


def test_ten_thousand_lessons_are_searched_in_about_a_millisecond() -> None:
    lessons = LessonIndex()
    for number, text in enumerate(generate_lessons(10_000, 3)):
        lessons.add(str(number), text)
    asked = generate_lessons(200, 4)
    began = time.process_time()
    for text in asked:
        lessons.find(text)
    each = (time.process_time() - began) / len(asked)
    # Some times what it takes: a machine that runs the whole suite at once is slow.
    assert each < 0.003
