/** Formats a run as plain text: the environment, then a block for each measurement. */
import type { Machine } from './machine.ts'
import type { Bound, Finding, Measured, Unit, Verdict } from './rounds.ts'

/** File systems in memory, whose sync latency says nothing about a disk. */
const inMemory = ['tmpfs', 'ramfs']

export function machineInWords(machine: Machine): string {
  const { disk, fileSystem } = machine
  const lines = [
    `The disk acknowledges a write of 4 KB with datasync in ${amount(disk.medianUs, 'µs')} (median), ${amount(disk.p99Us, 'µs')} (p99) of ${disk.writes}.`,
    `File system ${fileSystem ?? 'unknown'}, ${machine.platform}, Node ${machine.node}, ${machine.cpus} CPUs, ${machine.memoryGb} GB of memory, load before ${machine.loadBefore.toFixed(1)}.`,
  ]
  if (fileSystem && inMemory.includes(fileSystem))
    lines.push('That is memory, not a disk: name a folder on a disk with --dir.')
  return lines.join('\n')
}

export function measuredInWords(measured: Measured): string {
  const { title, rounds, figures, ratios, verdicts, notes } = measured
  const width = Math.max(...[...figures, ...ratios].map(({ says }) => says.length))
  return [
    `${title} (${rounds} rounds: median, least to most)`,
    ...ratios.map((one) => findingInWords(one, width)),
    ...figures.map((one) => findingInWords(one, width)),
    ...verdicts.map((one) => `  ${verdictInWords(one)}`),
    ...notes.map((note) => `  ${note}`),
  ].join('\n')
}

function findingInWords({ says, unit, median, min, max }: Finding, width: number): string {
  const spread = `${amount(min, unit)} to ${amount(max, unit)}`
  return `  ${says.padEnd(width)}  ${amount(median, unit).padStart(10)}   ${spread}`
}

export function verdictInWords({ says, unit, bound, found, met, missedBy }: Verdict): string {
  const target = `target ${boundInWords(bound, unit)}, found ${amount(found, unit)}`
  const answer = met ? 'met' : `MISSED by ${percent(missedBy)}`
  return `${answer}: ${says}: ${target}`
}

function boundInWords(bound: Bound, unit: Unit): string {
  return 'atMost' in bound
    ? `at most ${amount(bound.atMost, unit)}`
    : `at least ${amount(bound.atLeast, unit)}`
}

/** Rounds to three digits, the precision of such measurements. */
export function amount(value: number, unit: Unit): string {
  const digits = unit === 'rows' || value >= 100 ? 0 : value >= 10 ? 1 : 2
  const text = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return unit === 'x' || unit === '/s' ? `${text}${unit}` : `${text} ${unit}`
}

const percent = (share: number): string => `${Math.max(1, Math.round(share * 100))}%`
