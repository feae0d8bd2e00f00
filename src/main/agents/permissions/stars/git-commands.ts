/** The subcommands of Git that have a star, and the options that it covers. */
import { anyText } from './plain-texts.ts'
import { type Starred, starred } from './starred.ts'

const gitNames = `
  --abbrev --abbrev-commit --abbrev-ref --abort --after --all --amend --annotate --author --author-date-order --before
  --branch --branches --cached --cc --check --cherry --cherry-mark --cherry-pick --color --color-moved --color-words --column
  --combined-all-paths --contains --continue --count --cumulative --date --date-order --decorate --decorate-refs --delete
  --deleted --dense --dereference --detach --diff-algorithm --diff-filter --dirstat --dirty --dry-run --error-unmatch
  --exact-match --exclude-standard --ff --ff-only --find-copies --find-renames --first-parent --follow --force --fork-point
  --format --full-history --full-index --function-context --git-dir --graph --grep --hard --heads --histogram
  --ignore-all-space --ignore-blank-lines --ignore-case --ignore-missing --ignore-space-at-eol --ignore-space-change
  --ignored --include-untracked --independent --index --intent-to-add --invert-grep --is-ancestor --is-inside-work-tree
  --keep --keep-index --left-right --line-porcelain --list --log-size --long --mailmap --max-count --max-parents --merge
  --merge-base --merged --merges --message --min-parents --minimal --mixed --modified --move --name --name-only
  --name-status --no-abbrev --no-abbrev-commit --no-color --no-commit --no-decorate --no-edit --no-ff --no-merged
  --no-merges --no-notes --no-patch --no-prefix --no-renames --no-squash --no-stat --no-track --not --notes --numstat
  --octopus --oneline --only --orphan --others --ours --overlay --patch --patch-with-stat --patience --pickaxe-all
  --pickaxe-regex --points-at --porcelain --pretty --quiet --quit --raw --refresh --relative --remotes --remove-empty
  --reset-author --reverse --root --short --shortstat --show-current --show-name --show-number --show-prefix --show-pulls
  --show-stash --show-toplevel --signoff --simplify-by-decoration --since --skip --skip-worktree --soft --sort --source
  --sparse --squash --stage --staged --stat --summary --symbolic --symbolic-full-name --tag --tags --text --theirs --topo-order
  --track --unified --unmerged --untracked --untracked-files --until --update --verbose --verify --walk-reflogs
  --word-diff --word-diff-regex --worktree
`
/** `-O`, `-S` of blame and `-X` of ls-files name files; `-F` and `-t` of commit, tag and merge too; `-s` of merge a program. */
const gitHistory = '1234567890abBcCDEFGiILlmMnpPqrRsStuUvwWxXz'
const gitCommands = `
  add AfnNpuv
  blame bcCefklLMnpstw
  branch ailqrtuv
  cat-file epst
  checkout bBdflpqt
  cherry-pick emnsx
  commit aCimopqsuvz
  describe -
  diff ${gitHistory}
  diff-tree ${gitHistory}
  log ${gitHistory}
  ls-files cdfikmorstuvz
  ls-tree drltz
  merge emnqv
  merge-base a
  mv knv
  reset Nnpq
  restore pqSsW
  rev-list ${gitHistory}
  rev-parse q
  revert emns
  rm nqr
  shortlog cenps
  show ${gitHistory}
  show-ref dhqs
  stash akmpqSu
  stash list q
  stash show pu
  status bsuvz
  switch cdmqt
  tag ailmn
`

/** Subcommands that throw work away with some options, which their star does not cover. Its letters are missing above. */
const mayDiscard = new Set(['branch', 'mv', 'reset', 'rm', 'switch', 'tag'])
const discarding = /--(?:delete|force|hard|merge|move)\s/g
/** Those of which arguments say it: `checkout .`, `stash clear`. A rule with a star is the user's own. */
const neverProposed = new Set(['checkout', 'restore', 'stash'])

/** Letters of the commands that show history, or of `-L` in blame, whose value may be joined: `-Stext`, `-L1,5:file`. */
const joinedWithText = (letters: string): string =>
  letters.includes('L') ? [...'GLS'].filter((one) => letters.includes(one)).join('') : ''

export const starredGit: readonly [command: string, Starred][] = gitCommands
  .trim()
  .split('\n')
  .map((line) => {
    const [, name = '', letters = ''] = /^(.*) (\S+)$/.exec(line.trim()) ?? []
    const names = mayDiscard.has(name) ? gitNames.replace(discarding, '') : gitNames
    const of = starred(`${names} -${letters}`, anyText)
    return [
      `git ${name}`,
      { ...of, joined: joinedWithText(letters), isProposed: !neverProposed.has(name) },
    ]
  })
