/**
 * `npm run bench -- [options]`: runs the measurements that docs/PERFORMANCE.md explains, in one run on one machine. A
 * missed target is printed and is not a failure: exit code 0 means that everything was measured.
 */
import { measureAgents } from './agents/agents.ts'
import { measureAppends } from './measures/appends.ts'
import { measureExports } from './measures/exports.ts'
import { measureFirstTurn } from './measures/first-turn.ts'
import { measureFullText } from './measures/full-text.ts'
import { measureHealing } from './measures/healing.ts'
import { measureImports, measureLongImport } from './measures/imports.ts'
import { measureModelTurns } from './measures/model-turns.ts'
import { measureOpening } from './measures/opening.ts'
import { measureProgramStarts } from './measures/program-starts.ts'
import { measureRandomPage } from './measures/random-page.ts'
import { measureRemoval } from './measures/removal.ts'
import { measureReplay } from './measures/replay.ts'
import { measureSearch } from './measures/search.ts'
import { measureStartUp } from './measures/start-up.ts'
import { measureTurnStore } from './measures/turn-store.ts'
import type { Measure } from './runner/bench.ts'
import { measureAll } from './runner/measure-all.ts'
import { parseOptions, usage } from './runner/options.ts'

const measurements: Record<string, Measure> = {
  appends: measureAppends,
  opening: measureOpening,
  'random-page': measureRandomPage,
  healing: measureHealing,
  'first-turn': measureFirstTurn,
  replay: measureReplay,
  removal: measureRemoval,
  'start-up': measureStartUp,
  'turn-store': measureTurnStore,
  'program-starts': measureProgramStarts,
  search: measureSearch,
  'full-text': measureFullText,
  exports: measureExports,
  'model-turns': measureModelTurns,
  agents: measureAgents,
  imports: measureImports,
  'long-import': measureLongImport,
}

const options = parseOptions(process.argv.slice(2), Object.keys(measurements), ['long-import'])
if (options.kind === 'measure') await measureAll(options, measurements)
else {
  console.log(options.kind === 'help' ? usage : `${options.message}\n\n${usage}`)
  process.exitCode = options.kind === 'help' ? 0 : 2
}
