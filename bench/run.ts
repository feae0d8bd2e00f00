/**
 * `npm run bench -- [options]`: runs the measurements that docs/PERFORMANCE.md explains, in one run on one machine. A
 * missed target is printed and is not a failure: exit code 0 means that everything was measured.
 */
import { measureAgents } from './agents/agents.ts'
import { measureAppends } from './appends.ts'
import type { Measure } from './bench.ts'
import { measureExports } from './exports.ts'
import { measureFullText } from './full-text.ts'
import { measureGoingOn } from './going-on.ts'
import { measureHealing } from './healing.ts'
import { measureImports, measureLongImport } from './imports.ts'
import { measureAll } from './measure-all.ts'
import { measureModelTurns } from './model-turns.ts'
import { measureOpening } from './opening.ts'
import { parseOptions, usage } from './options.ts'
import { measureProgramStarts } from './program-starts.ts'
import { measureRandomPage } from './random-page.ts'
import { measureRemoval } from './removal.ts'
import { measureReplay } from './replay.ts'
import { measureSearch } from './search.ts'
import { measureStartUp } from './start-up.ts'
import { measureTurnStore } from './turn-store.ts'

const measurements: Record<string, Measure> = {
  appends: measureAppends,
  opening: measureOpening,
  'random-page': measureRandomPage,
  healing: measureHealing,
  'going-on': measureGoingOn,
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
