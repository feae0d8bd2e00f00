/** Why it isn't known whether a rule that asks or denies applies: parts of a command are only known when it runs. */
import type { AnalyzedRequest, Step } from './analyze-request.ts'
import { named } from './named.ts'
import type { CommandRule } from './parse-rule.ts'
import type { PathFound } from './places.ts'
import type { Layer, Rule } from './read-layer.ts'
import { allowsCommand, mayMatchCommand } from './rules.ts'
import { equivalentCommands } from './shell/equivalent-commands.ts'

/**
 * Returns why it isn't known whether the rules that narrow apply to a command, because of what is only known when it
 * runs. In `allow-all` and beside `bash: *`, where nothing else is asked about, also what may hide a command: parts that are not understood,
 * and a program that is given the words of a rule, like `flock lock git push` or `python -c "system('git push')"`.
 */
export function reasonsNotCertain(
  { mode, allow, ask, deny }: Layer,
  seen: AnalyzedRequest,
): string[] {
  const hasEditRule = [...ask, ...deny].some(({ test }) => test.kind === 'edit')
  if (seen.kind === 'edit')
    return hasEditRule && mayBeAnyFile(seen.found) ? [writesWhatRuleMayCover(seen.path)] : []
  if (seen.kind !== 'command') return []
  const rules = [...deny, ...ask].flatMap(({ text, test }) =>
    test.kind === 'command' ? [{ text, test }] : [],
  )
  const steps = stepsOf(seen)
  const allowsAll = mode === 'allow-all' || allow.some(isEveryCommand)
  const narrower = allow.filter((rule) => !isEveryCommand(rule))
  const isCovered = (step: RunStep): boolean =>
    step.harmless ||
    step.transparent ||
    narrower.some(({ test }) => test.kind === 'command' && allowsCommand(test, step))
  const reasons = rules
    .filter(({ test }) =>
      steps.some(
        (step) =>
          step.kind === 'run' &&
          (equivalentCommands(step.segment.words).some((words) => mayMatchCommand(test, words)) ||
            (allowsAll && !isCovered(step) && isGiven(test, step))),
      ),
    )
    .map(({ text }) => `It may run what the rule “${text}” covers.`)
  if (!allowsAll) return reasons
  if (rules.length > 0)
    for (const what of [...seen.unclear, ...seen.behindSudo.unclear])
      reasons.push(`${what}: it may run what a rule forbids or asks about.`)
  if (hasEditRule)
    for (const step of steps)
      if (step.kind === 'write' && !step.always && mayBeAnyFile(step.found))
        reasons.push(writesWhatRuleMayCover(step.path))
  return reasons
}

const mayBeAnyFile = (found: PathFound): boolean => !found.inside && found.isUnknown

const writesWhatRuleMayCover = (path: string): string =>
  `It writes to ${named(path)}, which may be a file that a rule covers.`

/** Reports whether the rule is `bash: *`. */
export const isEveryCommand = ({ test }: Rule): boolean =>
  test.kind === 'command' && test.words.length === 0 && test.anyMore

export type RunStep = Extract<Step, { kind: 'run' }>

export const stepsOf = (seen: Extract<AnalyzedRequest, { kind: 'command' }>): Step[] => [
  ...seen.steps,
  ...seen.behindSudo.steps,
]

/** Reports whether the arguments or variables of a program hold the words with which the rule begins, in the same command. */
function isGiven({ words }: CommandRule, { segment }: RunStep): boolean {
  const [program, ...args] = segment.words
  const name = program?.kind === 'literal' ? program.value : ''
  if (namesPrograms.has(name)) return true
  const texts = args.map((word) => (word.kind === 'dynamic' ? word.text : word.value))
  // `git -c alias.x=push x`
  const isConfigured = name === 'git' && texts.some((one) => /^-c$|^--config-env/.test(one))
  const text = [
    ...segment.assignments.map(({ value }) => value ?? ''),
    ...(isConfigured ? [name] : []),
    ...texts,
  ].join(' ')
  const end = words.findIndex(({ word }) => word.kind !== 'literal')
  const given = words.slice(0, end < 0 ? words.length : end)
  const wanted = given.map(
    ({ word }) =>
      new RegExp(
        `(?<![\\w-])${RegExp.escape(word.kind === 'literal' ? word.value : '')}(?![\\w-])`,
        'g',
      ),
  )
  return wanted.length > 0 && text.split(/[;&|\n]/).some((command) => holdsInOrder(command, wanted))
}

function holdsInOrder(text: string, wanted: RegExp[]): boolean {
  let from = 0
  return wanted.every((one) => {
    one.lastIndex = from
    const found = one.exec(text)
    from = one.lastIndex
    return found !== null
  })
}

/** After them a program may run under another name. */
const namesPrograms = new Set(['alias', 'hash', 'enable'])
