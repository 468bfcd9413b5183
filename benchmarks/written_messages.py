"""Messages written by hand for training: the kinds that are rare in real sessions, and what looks like them but is not.

None is taken from anybody's sessions. A text that stands under two kinds says both.
"""

from __future__ import annotations

from collections import defaultdict

CORRECTION = """
👎👎
👎 this
no 👎
Please make the font smaller, this was wrong
please move the menu to the top, that is wrong
Make it shorter please, the last one was wrong
👎 try another way
❌ not this one
that's wrong
this is wrong, the sum must be 12
the result was wrong again
that was the wrong server
you misunderstood the ticket
you got that wrong
the second total is wrong
I told you to keep the header
I told you that the price has no tax
I said staging
Please use the other colour, this is wrong
this is incorrect
not what I meant
that's not right
no, that's the wrong file
No. I wanted the totals per month, not per week
nope, the port has to be 5432
that's not what I asked for
that is not how the cache works
this isn't right, the dates are shifted by one day
wrong branch, please move it to develop
you misread the requirement, only admins may see it
you forgot the migration
you missed the second half of the list
you skipped the error handling again
you broke the login page
you deleted a comment that I need
you changed the public signature, callers will break
you keep adding comments, please stop
I told you not to touch the lockfile
I said two columns, not three
I asked for a plan, not for code
I meant the staging database
as I said, the limit is 50
stop, don't run that against production
wait, why are you editing the vendor folder?
hold on, we have a helper for this already
please don't reformat files you did not change
don't mock the database in these tests
do not push to main
let's not add a dependency for this
undo that
revert the last change, it made things slower
put the old wording back
roll this back, the tests were fine before
remove that again, nobody needs it
use the existing logger instead of print
instead of a global, pass it as an argument
it should be sorted by name, not by id
the button should be on the left
this should use a set rather than a list
the title must be shorter, it does not fit
I'd rather keep the old name
I would prefer one function here
that's too complicated, a dictionary is enough
this is overkill
too many comments, keep it short
I don't like this name, something else?
I don't think that is correct
I don't think we need a class here
hmm, that looks odd
hmm, this is not what the spec says
erm, where did the footer go?
ugh, now the import is circular
still fails with the same error
it still shows the old price
still not working after your change
the test is still red
same error again
it doesn't work on Windows
that didn't fix it
the page is blank now
I don't see the new column anywhere
I can't find the setting you mentioned
the icon isn't shown in dark mode
nothing happens when I click save
now the build fails in lint
the server crashes on start
after your change I get a type error in router.ts
when I run it I get "permission denied"
the counter is never reset
the output is cut off after 80 characters
the search returns duplicates now
there is no test for the empty case
we didn't add any tests for this?
the docs are missing
the flag is missing in the help text
this still doesn't handle empty input
the validation is not called anywhere
the new option is not documented
but this runs on every request, doesn't it?
but then the lock is never released
but the API returns a list, not an object
but that only works for the first item
isn't that the same as what we had before?
isn't this going to break older clients?
doesn't this leak the file handle?
shouldn't this be in the config module?
shouldn't we close the connection here?
couldn't we simply use a join?
can't we just reuse the parser?
why not use the standard library for this?
why did you remove the retry?
why is this exported?
why are there two copies of this function?
why do we need a second loop?
why are you running the whole suite?
do we really need this wrapper?
do we even use this field?
are you sure this is thread safe? it looks wrong to me
are these sleeps really necessary?
what are you doing? stop
did you even run the tests?
did you forget the changelog?
have you made this option up? I can't find it in the docs
that function does not exist in this version
the package is called requests-cache, not request_cache
Berlin is in the CET zone, so the offset is wrong
the method was removed in version 3, use fetch_all instead
that is only half of it, the second table is untouched
not quite, the total has to include tax
almost, but the header row is missing
close, but it should round down
nice try, but the order is reversed
looks good, but the margin is too big
it works, but it is far too slow
good start, but you forgot the German texts
great, except that the tests no longer run
yes, but only for new users
ok but not in this file
actually, keep the old behaviour
actually it should be seconds, not milliseconds
let's drop the prefix, it's noise
let's call it Account instead
let's cut this down to one page
can you not commit yet?
can you use a switch instead of the chain of ifs?
can we use our own date helper here instead?
could you do it without the extra dependency?
I want it as a table, not as text
I want the default to be off
we want the short form in both places
make it a warning, not an error
only the first two, please leave the rest alone
just change the label, nothing else
not in the component, in the store
fix the code, not the test
the code is right, the test is wrong
first run the tests, then commit
read the file before you edit it
you are in the wrong directory
this is the wrong way round
that's a hack, do it properly
you are overengineering this
you're repeating yourself, shorter please
please make the page lighter, the colour is wrong
you got it backwards
you misunderstood me
I think that is too strict
I think this belongs in the service layer
I think we can drop the second parameter, it is always null
I still think the name is misleading
seems like you did not read the error message
looks like the second commit is lost
it looks like the filter is applied twice
The comment above parse_row is misleading: it says rows are skipped, but they are kept.
The function `load_user` duplicates the logic of `get_account`. Use the existing helper instead.
Missing null check: `order.customer` may be undefined here, which causes a crash on guest checkouts.
This test never fails because the assertion is inside the callback that is not called.
The error is swallowed silently. Consider returning it, otherwise the caller cannot tell what happened.
High severity: the token is written to the log file in plain text.
Low severity. The variable `tmp` is unused and should be removed.
The lock is acquired but never released when the write fails, which leads to a deadlock.
The documentation says the default is 30 seconds, however the code uses 10.
`retry_count` is incremented twice, so the limit is reached too early. This results in fewer attempts than configured.
The new test only covers the happy path. There is no coverage for an expired session.
This condition is always true because the list can never be empty at this point.
Unlike the other handlers, this one does not check permissions, so any user can delete a project.
The cache key lacks the locale, so users may see texts in a wrong language.
The migration is not idempotent: running it twice fails with a duplicate column error.
The regular expression does not escape the dot and therefore matches too much.
The helper is defined in the test file but never called. It is dead code and adds unnecessary maintenance.
Potential race condition: two workers can claim the same job, since the check and the update are not atomic.
The return type is inaccurate, the function may also return None.
Both branches of the if statement do the same thing; the duplication should be removed.
"""

NONE = """
what was wrong with the old name?
tell me if that is wrong
❌ means failed in this table, add a legend
is that wrong?
no trouble at all
no need to apologise
no stress
that actually looks fine, go on
commit and push
commit this please
ok
ok go ahead
go on
next
option 2
both
the second one
1 and 3
run the tests
now run the linter
add a test for the parser
add a dark theme
create a new branch for this
create a release 2.1 and update the changelog
open a pull request
write a summary for the pull request
update the readme
rename the module to billing
can you add a test for this?
can you explain how the scheduler works?
can you show me the code?
can you check if this is used anywhere?
can you review the whole file?
can you take a look at the failing pipeline?
can you double check the numbers?
can we add a short comment?
can we also log the duration?
could you also bump the version?
could we support yaml as well?
Could you just see whether the linter passes?
what does this function do?
what happens if the disk is full?
what happens when I undo a merge?
what is the difference between the two classes?
what would you suggest?
what's left to do?
what went wrong in yesterday's deploy?
how does the retry work?
how much do the onshore wind farms produce?
how would you test this?
how can I see the logs?
where is the timeout configured?
where is this used?
when does the cache expire?
which of the two is faster?
who calls this function?
why does the clock show the wrong time after a suspend?
why is the sky blue?
why does git say "fatal: bad revision"?
is there a test for this already?
is it wrong to keep state in the module?
is this used anywhere else?
is the daemon still needed on Linux?
does this run on every start?
does the sync job start every night?
do we have a changelog?
do you know a good library for charts?
should we move this to its own package?
should I restart the server?
are there other places with the same pattern?
are there any errors in the log?
would it be possible to run this in parallel?
I'd like to add a login page
I'd like to understand the build first
I want to add a second currency
I need a script that removes old branches
I think we should add a filter to the list next
I think so
I think option B
I don't know, you choose
I don't mind, whatever is simpler
I have to leave now, let's continue tomorrow
I got this feedback from a customer, what do you think?
evaluate this review comment: "the loop is wrong, please rewrite"
somebody noted "this is wrong" on the ticket, can you find out what is meant?
he wrote "no, revert it" in the ticket. which commit is it about?
my colleague broke the build, please fix it
a teammate left the tests out, add them please
the customer says the invoice is wrong, can you look at the data?
users complain that the search is slow, let's find out why
we have a bug in production: orders are lost when two people edit
there is a bug in the importer, it stops at the first empty line
The login fails on Safari. Please investigate.
when I open the page in Firefox I get an error, can you find out why?
fix the wrong total in the invoice
fix the typo in the headline
fix all lint errors
remove the unused imports
remove the old endpoint
delete the temporary files
revert the commit abc123 on the release branch
undo the rename in the changelog only when the release is out
replace the icon with the new one
use the new API for the import job
make the header sticky
make the sidebar always visible
add an undo button to the editor
add a "never ask again" checkbox
add a stop button
show an error when the name is wrong
write a test that fails when the config is missing
print "no, thanks" when the user declines
translate "that was wrong" into French
the label should read "Not found"
the message "wrong password" should be red in the new form
no hurry at all
no need to hurry
no idea, can you find out?
no preference
not yet
not sure, what do you think?
never mind
nothing else, thank you
no, thanks
no, that's all
no that is fine
no further changes
actually, another wish: add a footer
actually, can you also add the French texts?
wait for the build and then deploy
wait until the tests are done
sorry, I closed the window, go on
try again
retry
try it again, the network is back
I restarted you, go on
let's go with the first option
let's do 2 and 3
let's merge it
let's review the comments together
let's leave that for later
let's start with the tests
how about a chart?
what about the mobile version?
one more question: how long is the token valid?
one more thing, can you add a link to the imprint?
please write a short guide for new people
please list the open points
please look at the ticket and make a plan
then deploy it
now the same for the second table
now let's do the frontend
same for the other file
also add it to the index
and the tests?
and in the other module?
I noticed the notes are in another folder
the knot is nothing special
Northern offices want a wider table
brainstorm: how could we make the start faster?
question: is the id unique across tenants?
you can use the staging server
you may commit now
you decide
go with your suggestion
looks like the network is back, continue
the spec has changed, now we need three columns
as a next step, we need to support refunds
the import should also accept csv files, please plan this
based on the notes in docs/plan.md, create the tickets
here is the log, tell me what you see
compare the two implementations and tell me the gaps
summarize what we did today
explain the difference between a lock and a semaphore
"""

PRAISE = """
great work
great, thanks!
perfect
perfect, that's exactly what I wanted
excellent
awesome, works like a charm
nice one
nice, that was quick
well done
good job on the tests
looks good to me
lgtm, ship it
looks great
that works, thank you
it works now, thanks a lot
works perfectly now
that fixed it
yes that fixed the problem, thanks
wow, impressive
love it
I love the new layout
I like how you split the module
much better
much cleaner than before, thanks
way better now
beautiful
brilliant idea
spot on
exactly right
you nailed it
you're the best
good catch!
smart solution
very nice, now let's commit
great, now add the second page
perfect! please commit
awesome. next one
cool, that is what I was looking for
thanks, that helped a lot
thank you, great explanation
superb, all tests are green
this is fantastic
kudos, I did not expect that to work
👍👍
🎉
👏 nice
that's a neat trick
really good summary
"""

PREFERENCE = """
I prefer answers in plain prose
always run the formatter before you commit
always use pnpm in this repository
never commit without asking me
never use force push
from now on answer in English
from now on, write the test first
going forward, keep functions under 40 lines
in future please ask before installing packages
next time run the linter first
please use British spelling everywhere
I prefer tabs
I prefer composition over inheritance
I'd prefer that every module has its own tests
we use snake_case for database columns
we never edit generated files
we always squash before merging
our convention is one class per file
by convention tests live next to the code
as a rule, no abbreviations in names
don't ever push on Fridays
don't use emojis in commit messages
please don't add trailing comments, ever
please avoid default exports in this project
avoid any in TypeScript code
keep your answers brief in general
keep commit messages in the imperative mood
use the logger, never print
use conventional commits for every commit
every public function needs a docstring
each pull request needs a changelog entry
before every commit run make check
after each change run the unit tests
whenever you touch the schema, write a migration
ask me before you delete anything
ask first when a requirement is unclear
stick to the standard library unless I say otherwise
I don't want you to commit on your own
I want you to explain before you change things
in this repo we write tests with pytest only
for this project use Python 3.12 features freely
no bullet lists in your answers please
no new dependencies without approval
make it a habit to check the docs first
prefer subprocess.run to os.system
prefer small commits
our style guide forbids wildcard imports
the rule is: no logic in controllers
📌 always sign your commits
under no circumstances touch the production config
"""

REQUEST = """
is there a way to have you watch the build by yourself?
I wish you could open the browser yourself
I wish you remembered my editor settings
it would be nice if you could read our wiki
it would be great if you showed the cost of each run
it'd be helpful if you could send me a message when you are done
would be cool if you could draw the diagram yourself
can you learn to read our log format? I convert it by hand every time
could you learn how to start the emulator?
is there a way for you to keep the server running between sessions?
you should be able to query the staging database yourself
you should have a command for starting a release
please add yourself a tool for our ticket system
give yourself a shortcut for running one test
teach yourself to use the profiler
I'd love a skill for writing our release notes
a command to list open reviews would help me a lot
feature request: let me pause you and resume later
feature request: show a diff before each edit
why can't you open pdf files? that would be useful
I have to copy the errors by hand, could you watch the log yourself?
I keep having to paste the schema, can you fetch it on your own?
it is tedious to start the proxy every time, can you do that automatically?
if only you could see the screen
if you could talk to Jira that would save me an hour a day
please support voice input
support for notebooks would be great
would love it if you could run things in the background
I'm tired of typing the same prompt, can we make it a command?
can we have a hook that makes you run the linter by yourself?
it would be awesome if you could schedule this every Monday
do you support images? if not, that is on my wish list
can you set yourself a reminder to check the pipeline?
you need a way to read our design files
"""

GAP = """
fyi the staging server moved to a new host
fyi, the tests need docker to be running
by the way, the api is behind a proxy here
btw the old endpoint is gone since march
note that we have two config files, one per region
just so you know, the database is read only on weekends
keep in mind that the ids are strings in the old system
for context: the team decided to leave Mongo last year
heads up, another agent is working in the same folder
another agent has changed your files, read them again
someone else is editing that file right now
I already fixed that by hand, read the file again
I updated the branch, please look again
I renamed the folder to core in the meantime
I just merged the pull request, so pull first
I've moved the docs to a separate repository
I restarted the server, it listens on 8081 now
I checked the docs, the field is called expires_in
we have a helper for that in shared/dates
we already have a retry decorator in net.py
there is already a script for that: scripts/seed.sh
there's already a component for that in the design system
we don't have a user table, accounts come from the directory
we don't use Jenkins anymore, it's all GitHub Actions
we switched to uv last month, there is no requirements.txt
we use git hooks for that, so the trailer is added on commit
the tests live in spec/, not in tests/
the config lives in /etc/app, the one in the repo is only a sample
the service is called billing-v2 since the split
the class was renamed to Ledger in the last release
that method is deprecated, the new one is open_stream
it turns out the vendor changed the format in May
turns out the flag only works on Linux
the reason is that the commit hash changes after a rebase, that's why we store an id
PSP stands for payment service provider
our fiscal year begins in July, so Q1 is July to September
the docs say the limit is 100 per minute
production runs on ARM machines, so those binaries do not start there
ah, I had uncommitted files, that's why the switch failed
oh, the network was down on my side, that was the reason
"""

REMEMBER = """
remember this for the next session
please remember that the staging password rotates weekly
please remember my name is Jo
remember: the release branch is called stable
keep in mind for later: the vendor api is flaky on Mondays
make a note that the tests need a running redis
make a note of this in your memory
take a note: deploy only from the ci machine
note for later: rename the table after the release
note to self: the second cluster is the test cluster
write this down, we will need it again
write that down in CLAUDE.md
add this to CLAUDE.md
can you add that rule to AGENTS.md so it is not lost?
put this into your memory file
save this for the next time
store this in your notes
don't forget that we ship on Tuesdays
don't forget: invoices are in cents
never forget that this table is huge
bear in mind that the old clients still call v1
memorize the order of the steps
document this in the project memory so it does not happen again
add a line to your notes that the port is 9090
please keep this in memory: my timezone is UTC+2
for later: the license key is in the vault
🧠 the backup runs at 3 am
learn this: migrations go first
update CLAUDE.md with what we learnt
"""

_BOTH = {
    "correction": """
we don't have a user table, accounts come from the directory
we don't use Jenkins anymore, it's all GitHub Actions
the tests live in spec/, not in tests/
that method is deprecated, the new one is open_stream
""",
    "knowledge_gap": """
hold on, we have a helper for this already
the package is called requests-cache, not request_cache
the method was removed in version 3, use fetch_all instead
that function does not exist in this version
""",
    "preference": """
please don't reformat files you did not change
don't mock the database in these tests
you keep adding comments, please stop
""",
}


def messages() -> list[tuple[str, frozenset[str]]]:
    """Each text with its kinds; no kind means that it says nothing to learn from."""
    kinds: dict[str, set[str]] = defaultdict(set)
    by_kind = {
        "correction": CORRECTION + _BOTH["correction"],
        "none": NONE,
        "praise": PRAISE,
        "preference": PREFERENCE + _BOTH["preference"],
        "feature_request": REQUEST,
        "knowledge_gap": GAP + _BOTH["knowledge_gap"],
        "remember": REMEMBER,
    }
    for kind, texts in by_kind.items():
        for text in texts.strip().splitlines():
            kinds[text] |= {kind} - {"none"}
    return [(text, frozenset(of)) for text, of in kinds.items()]
