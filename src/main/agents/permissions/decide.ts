import { ruleCharsMax, type Verdict } from '../../../shared/agents/permissions.ts'
import { isSimplePattern } from '../../globs/simple-pattern.ts'
import { configuresAgents } from '../acp/configuration/locations.ts'
import { formsOfSubject } from './addresses.ts'
import {
  type AnalyzedRequest,
  analyzeRequest,
  type OtherRequest,
  type PermissionRequest,
  type Step,
} from './analyze-request.ts'
import { named, quoted } from './named.ts'
import type { RuleTest } from './parse-rule.ts'
import { comparable, mayBeRead, mayBeWritten, type PathFound } from './places.ts'
import { type PolicyLayer, policyPath } from './policy.ts'
import { asOnDisk } from './policy-files.ts'
import { isReadableRule, proposedRule } from './propose.ts'
import { type Layer, type Rule, readLayer } from './read-layer.ts'
import { type Reason, reasonTexts } from './reason-texts.ts'
import { allowsCommand, matchesCommand, matchesEdit, matchesTool } from './rules.ts'
import { equivalentCommands } from './shell/equivalent-commands.ts'
import { isEveryCommand, type RunStep, reasonsNotCertain, stepsOf } from './uncertain.ts'

/** Decides by the strictest layer. `layers` has at least the user's, first, whose reasons and proposal are returned. */
export const decide = (layers: readonly PolicyLayer[], request: PermissionRequest): Verdict =>
  decideOn(layers, analyzeRequest(request))

export function decideOn(layers: readonly PolicyLayer[], seen: AnalyzedRequest): Verdict {
  const read = layers.map(readLayer)
  const verdicts = read.map((layer) => verdictOfLayer(layer, seen))
  return (
    verdicts.find(({ kind }) => kind === 'deny') ??
    withUsableRules(
      verdicts.find(({ kind }) => kind === 'ask') ?? policyEdit(read[0], seen),
      layers,
      seen,
    ) ??
    verdicts.find((one) => one.kind === 'allow' && one.by === 'rule') ?? {
      kind: 'allow',
      by: 'mode',
    }
  )
}

/**
 * Without a proposal if one of its rules can't be read or kept as it is, or if all of them together would not have allowed
 * the request: a rule may say something else than what it was made from (`edit:  a` is about the file `a`).
 */
function withUsableRules(
  verdict: Verdict | null,
  layers: readonly PolicyLayer[],
  seen: AnalyzedRequest,
): Verdict | null {
  if (verdict?.kind !== 'ask' || verdict.proposal.length === 0) return verdict
  const [users, ...others] = layers
  const added = verdict.proposal.map((rule) => ({ effect: 'allow' as const, rule: rule.trim() }))
  const isUsable =
    users !== undefined &&
    added.every(({ rule }) => rule.length <= ruleCharsMax && isReadableRule(rule)) &&
    isAllowed([{ ...users, rules: [...users.rules, ...added] }, ...others], seen)
  return isUsable ? verdict : { ...verdict, proposal: [] }
}

const isAllowed = (layers: readonly PolicyLayer[], seen: AnalyzedRequest): boolean => {
  const read = layers.map(readLayer)
  return (
    read.every((layer) => verdictOfLayer(layer, seen).kind === 'allow') &&
    policyEdit(read[0], seen) === null
  )
}

function verdictOfLayer(layer: Layer, seen: AnalyzedRequest): Verdict {
  const matching = (rules: Rule[]) => rules.find(({ test }) => appliesTo(test, seen))
  const denied = matching(layer.deny)
  if (denied) return { kind: 'deny', rule: denied.text }
  if (layer.unreadable.length > 0)
    return {
      kind: 'ask',
      reasons: layer.unreadable.map(
        (rule) => `The rule ${quoted(rule)} can’t be read, and may be about it.`,
      ),
      proposal: [],
    }
  const asked = matching(layer.ask)
  if (asked)
    return { kind: 'ask', reasons: [`The rule ${quoted(asked.text)} says to ask.`], proposal: [] }
  const uncertain = reasonsNotCertain(layer, seen)
  if (uncertain.length > 0) return { kind: 'ask', reasons: uncertain, proposal: [] }
  if (layer.mode === 'allow-all') return { kind: 'allow', by: 'mode' }
  switch (seen.kind) {
    case 'edit':
      return verdictOnEdit(layer, seen)
    case 'command':
      return verdictOnCommand(layer, seen)
    case 'other':
      return verdictOnOther(layer, seen)
  }
}

/** Reports whether a rule that narrows applies to any part of the request. */
function appliesTo(test: RuleTest, seen: AnalyzedRequest): boolean {
  switch (seen.kind) {
    case 'edit':
      return matchesPath(test, seen.found)
    case 'other':
      return formsOfSubject(seen).some((one) =>
        matchesTool(anyCase(test), seen.tool, inAnyCase(one)),
      )
    case 'command':
      return stepsOf(seen).some((step) =>
        step.kind === 'run'
          ? test.kind === 'command' &&
            equivalentCommands(step.segment.words).some((words) => matchesCommand(test, words))
          : step.kind === 'write' && matchesPath(test, step.found),
      )
  }
}

const anyCase = (test: RuleTest): RuleTest =>
  test.kind === 'tool' && test.subject !== null
    ? { ...test, subject: inAnyCase(test.subject) }
    : test

const inAnyCase = (text: string): string => text.toUpperCase().toLowerCase()

/** Whatever the case of its letters: some file systems ignore it. */
const matchesPath = (test: RuleTest, found: PathFound): boolean =>
  found.inside &&
  found.names.some((name) => matchesEdit(test, name) || matchesEdit(folded(test), comparable(name)))

const folded = (test: RuleTest): RuleTest =>
  test.kind === 'edit' ? { ...test, glob: comparable(test.glob) } : test

/** Asks about changes of the repository's policy unless one of the user's rules allows exactly that. */
function policyEdit(layer: Layer | undefined, seen: AnalyzedRequest): Verdict | null {
  const isWritten =
    seen.kind === 'command'
      ? stepsOf(seen).some((step) =>
          step.kind === 'run'
            ? step.namesPolicy && !step.harmless && !step.transparent
            : step.kind === 'write' && step.isPolicy,
        )
      : seen.kind === 'edit' && seen.isPolicy
  if (!isWritten) return null
  if (layer?.allow.some(({ test }) => test.kind === 'edit' && test.glob === policyPath)) return null
  const reasons = [`It writes to ${policyPath}, which says what agents may do.`]
  return { kind: 'ask', reasons, proposal: [`edit: ${policyPath}`] }
}

function verdictOnEdit(
  layer: Layer,
  { path, found }: Extract<AnalyzedRequest, { kind: 'edit' }>,
): Verdict {
  if (!mayBeWritten(found))
    return {
      kind: 'ask',
      reasons: [
        found.inside
          ? `It writes to ${named(path)}, which belongs to ${ownerOf(found)}.`
          : `It writes to ${named(path)}, outside the working directory.`,
      ],
      proposal: [],
    }
  const configures = isConfiguration(found)
  if (layer.mode === 'allow-edits' && !configures) return { kind: 'allow', by: 'mode' }
  const at = found.inside ? (found.relative ?? path) : path
  const rule = layer.allow.find(({ test }) => allowsEdit(test, at, configures))
  if (rule) return { kind: 'allow', by: 'rule', rule: rule.text }
  return {
    kind: 'ask',
    reasons: [
      configures
        ? `It writes to ${named(path)}, which may change what an agent runs.`
        : 'You are asked about every change of a file.',
      ...byLink(found),
    ],
    proposal: editRules(at),
  }
}

/** Says which file is changed where a link leads to another than the one that is named. */
const byLink = (found: PathFound): string[] => {
  if (!found.inside || found.relative === null) return []
  const isNamed = found.names.every((name) => name === found.relative)
  return isNamed ? [] : [`By a link it changes ${named(found.relative)}.`]
}

/** By each of its names, in any case and as Windows reads them. */
const isConfiguration = (found: PathFound): boolean =>
  found.inside && found.names.some((name) => configuresAgents(asOnDisk(name)))

/** A rule has to name the folder or file of an agent: `edit: **` is not about its configuration. */
const allowsEdit = (test: RuleTest, path: string, configures: boolean): boolean =>
  matchesEdit(test, path) &&
  (!configures || (test.kind === 'edit' && configuresAgents(comparable(test.glob))))

const ownerOf = (found: PathFound): string => (mayBeRead(found) ? 'Git' : 'Shiplog')

/** Returns the rule for this path alone; none if no pattern can say it. */
function editRules(path: string): string[] {
  if (alternatives.test(path)) return []
  // `!(a)` is any name but one.
  const glob = path.replace(/[*?[\]]|(?<=[!+@])\(/g, '[$&]')
  return isSimplePattern(glob) && matchesEdit({ kind: 'edit', glob }, path) ? [`edit: ${glob}`] : []
}

/** In braces, where nothing can be quoted. */
const alternatives = /\{.*(?:,|\.\.).*\}/s

function verdictOnOther(layer: Layer, { tool, subject }: OtherRequest): Verdict {
  if (subject === null)
    return {
      kind: 'ask',
      reasons: [`It is not known what ${named(tool)} would access.`],
      proposal: [],
    }
  const rule = layer.allow.find(({ test }) => matchesTool(test, tool, subject))
  if (rule) return { kind: 'allow', by: 'rule', rule: rule.text }
  const reasons = [`No rule allows ${named(tool)}.`]
  // No rule can say a star, and one about the tool alone would cover all else.
  if (subject.includes('*')) return { kind: 'ask', reasons, proposal: [] }
  const narrow = subject === '' ? tool : `${tool}: ${subject}`
  return { kind: 'ask', reasons, proposal: [narrow] }
}

function verdictOnCommand(
  layer: Layer,
  seen: Extract<AnalyzedRequest, { kind: 'command' }>,
): Verdict {
  const everything = layer.allow.find(isEveryCommand)
  if (everything) return { kind: 'allow', by: 'rule', rule: everything.text }
  const used = new Set<string>()
  const reasons: Reason[] = []
  const proposal = new Set<string>()
  let canPropose = true
  for (const step of seen.steps) {
    const result = checkStep(layer, step)
    if (result.kind === 'covered') {
      if (result.rule) used.add(result.rule)
      continue
    }
    reasons.push(result.reason)
    if (result.proposal === null) canPropose = false
    else proposal.add(result.proposal)
  }
  const sentences = new Set([...seen.unclear.map((what) => `${what}.`), ...reasonTexts(reasons)])
  if (sentences.size > 0)
    return {
      kind: 'ask',
      reasons: [...sentences],
      proposal: canPropose && proposal.size <= proposedMax ? [...proposal] : [],
    }
  return used.size > 0
    ? { kind: 'allow', by: 'rule', rule: [...used].join('\n') }
    : { kind: 'allow', by: 'mode' }
}

/** More rules are not read before they are remembered. */
const proposedMax = 12

type StepResult =
  | { kind: 'covered'; rule: string | null }
  | { kind: 'open'; reason: Reason; proposal: string | null }

function checkStep({ allow, mode }: Layer, step: Step): StepResult {
  const covered = (rule: string | null = null): StepResult => ({ kind: 'covered', rule })
  const open = (
    says: Reason['says'],
    name: string,
    proposal: string | null = null,
    also: string[] = [],
  ): StepResult => ({ kind: 'open', reason: { says, names: [name], also }, proposal })
  if (step.kind === 'read')
    return step.inside ? covered() : open(step.isKnown ? 'reads' : 'may-read', step.text)
  if (step.kind === 'write') {
    const { path, found, always } = step
    if (always) return covered()
    if (!found.inside) return open(step.isKnown ? 'writes-outside' : 'may-write-outside', path)
    if (!mayBeWritten(found)) return open(mayBeRead(found) ? 'writes-git' : 'writes-shiplog', path)
    const configures = isConfiguration(found)
    if (mode === 'allow-edits' && !configures) return covered()
    const at = found.relative
    const rule =
      at === null ? undefined : allow.find(({ test }) => allowsEdit(test, at, configures))
    if (rule) return covered(rule.text)
    return open(
      configures ? 'writes-configuration' : 'writes',
      path,
      at === null ? null : (editRules(at)[0] ?? null),
      byLink(found),
    )
  }
  const { harmless, transparent } = step
  if (harmless || transparent) return covered()
  const rule = allow.find(({ test }) => test.kind === 'command' && allowsCommand(test, step))
  if (rule) return covered(rule.text)
  return { kind: 'open', reason: whyAsked(step), proposal: proposedRule(step) }
}

function whyAsked({ segment, isNotPlain, isWithin, runsInside }: RunStep): Reason {
  const [name] = segment.words
  if (!name) return { says: 'sets', names: segment.assignments.map((one) => one.name) }
  return {
    says: isNotPlain
      ? isWithin
        ? 'in-program'
        : 'not-plain'
      : runsInside
        ? 'no-rule'
        : 'no-rule-outside',
    names: [name.kind === 'dynamic' ? name.text : name.value],
  }
}
