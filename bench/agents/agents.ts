/**
 * Measures memory and CPU time of a host with several streaming installed agents, against a client that records
 * nothing.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { buildProbe } from '../runner/build-probe.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured } from '../runner/rounds.ts'
import { agentProgram } from './streaming.ts'

/** The target for the memory of the main process. */
const memoryMbMax = 250

export async function measureAgents(bench: Bench): Promise<Measured> {
  const { dir, sizes } = bench
  const { streaming: agents } = sizes
  const built = await buildProbe(dir)
  const streamed = async (action: 'agents' | 'bare-agents', count: number) => {
    const own = join(dir, 'streaming')
    await mkdir(own)
    const given = { dir: own, agents: count, program: agentProgram }
    const { ms, cpuMs = 0, peakMb } = await probe(action, given, built)
    await rm(own, { recursive: true, maxRetries: 5 })
    return { ms, cpuMs, peakMb }
  }
  const rounds = await alternate(
    {
      all: () => streamed('agents', agents),
      one: () => streamed('agents', 1),
      bare: () => streamed('bare-agents', agents),
    },
    { rounds: bench.rounds },
  )
  const share = ({ ms, cpuMs }: { ms: number; cpuMs: number }) => (cpuMs / ms) * 100
  const processor = find(rounds, '%', {
    'of one processor, all': ({ all }) => share(all),
    'of one processor, one': ({ one }) => share(one),
    'of one processor, a client that records nothing': ({ bare }) => share(bare),
  })
  const memory = find(rounds, 'MB', {
    'memory, all (peak)': ({ all }) => all.peakMb,
    'memory, one (peak)': ({ one }) => one.peakMb,
    'memory, a client that records nothing (peak)': ({ bare }) => bare.peakMb,
    'memory for each further agent': ({ all, one }) =>
      (all.peakMb - one.peakMb) / Math.max(1, agents - 1),
  })
  const ratios = find(rounds, 'x', {
    'processor over a client that records nothing': ({ all, bare }) => all.cpuMs / bare.cpuMs,
    'processor of an agent among all over one alone': ({ all, one }) =>
      all.cpuMs / agents / one.cpuMs,
    'memory over a client that records nothing': ({ all, bare }) => all.peakMb / bare.peakMb,
  })
  const isWhole = agents >= fullSizes.streaming
  return {
    title: `${agents} installed agents that stream 100 pieces of text a second at once`,
    rounds: rounds.length,
    figures: [...Object.values(processor), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: isWhole ? [judge(memory['memory, all (peak)'], { atMost: memoryMbMax })] : [],
    notes: [
      'Of the host alone, from the first piece to the end of the last run; what the agents take themselves is not in it.',
      'After each round no process of theirs was left.',
      ...(isWhole ? [] : [notJudged]),
    ],
  }
}
