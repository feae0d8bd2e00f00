import type { Mutant } from './mutant.ts'

/** Processes that Shiplog starts: which are its own, and how they end. */
export const processesMutants: Mutant[] = [
  {
    id: 'processes-same-path-in-a-container',
    file: 'src/main/processes/custody.ts',
    find: 'const identity = status ? [path, status.dev, status.ino] : [path]',
    replace: 'const identity = [path]',
    harm: 'A start ends the running agents of a container whose data directory has the same path.',
    tests: ['tests/processes'],
  },
  {
    id: 'processes-term-is-enough',
    file: 'src/main/processes/group.ts',
    find: "  signalGroup(pid, 'SIGKILL')\n",
    replace: '',
    harm: 'A command that ignores SIGTERM outlives its run.',
    tests: ['tests/processes', 'tests/agents/tools'],
  },
  {
    id: 'processes-ends-its-own-ancestors',
    file: 'src/main/processes/mark.ts',
    find: '!above.has(group) && ',
    replace: '',
    harm: "A Shiplog that an agent's command started ends that command, and with it itself.",
    tests: ['tests/processes'],
  },
  {
    id: 'processes-ends-caller-of-start',
    file: 'src/main/processes/custody.ts',
    find: '  if (ownMark()?.id === basename(dir)) return null\n',
    replace: '',
    harm: 'A start that is called from a command that outlived Shiplog ends its caller.',
    tests: ['tests/processes', 'tests/tasks/recovery/killed-command.test.ts'],
  },
  {
    id: 'processes-of-other-machine-forgotten',
    file: 'src/main/processes/custody.ts',
    find: 'if (elsewhere !== null) return reportOnce(',
    replace: 'if (elsewhere === "") return reportOnce(',
    harm: 'A start on another machine forgets the commands that still run on the first one.',
    tests: ['tests/processes'],
  },
  {
    id: 'processes-same-number-same-process',
    file: 'src/main/processes/identity.ts',
    find: "return now === startedAt ? 'running' : 'gone'",
    replace: "return 'running'",
    harm: 'After a crash Shiplog ends whatever process has got the number of a lost command.',
    tests: ['tests/processes', 'tests/lease'],
  },
]
