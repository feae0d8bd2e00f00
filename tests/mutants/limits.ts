import type { Mutant } from './mutant.ts'

/** Budgets, the sleep of a spent quota, and what a user says between the turns of a run. */
export const limitsMutants: Mutant[] = [
  {
    id: 'limits-budget-of-one-agent',
    file: 'src/main/tasks/limits/tree-limits.ts',
    find: '    const used = usageOfTasks(tree, live)\n',
    replace: '    const used = usageOfTasks(tree, new Map())\n',
    harm: 'A tree spends its whole budget once more in runs that have not ended.',
    tests: ['tests/tasks/limits/tree-limits.test.ts'],
  },
  {
    id: 'limits-unpriced-counted-as-nothing',
    file: 'src/main/tasks/limits/tree-limits.ts',
    find: 'usageOfTasks(priced, live).unpriced || unmeasured.usd.has(rootId)',
    replace: 'unmeasured.usd.has(rootId)',
    harm: 'A budget in dollars holds nothing back from a model without a price.',
    tests: ['tests/tasks/limits/tree-limits.test.ts'],
  },
  {
    id: 'limits-stop-while-paused',
    file: 'src/main/tasks/limits/tree-limits.ts',
    find: "    signal.addEventListener('abort', abort, { once: true })\n    return promise",
    replace: '    return promise',
    harm: 'An agent that waits because of its budget can not be stopped.',
    tests: ['tests/tasks/limits/tree-limits.test.ts'],
  },
  {
    id: 'limits-summary-asked-twice',
    file: 'src/main/tasks/limits/tree-limits.ts',
    find: "    await ledger.record({ type: 'task.compaction-set', taskId, wanted: false })\n    return true",
    replace: '    return true',
    harm: 'Once asked for, a summary is made and paid for before every turn.',
    tests: ['tests/tasks/limits/tree-limits.test.ts'],
  },
  {
    id: 'limits-all-woken-as-probe',
    file: 'src/main/tasks/limits/quota-sleep.ts',
    find: '    if (!(await resumedAll(root, [first.id])))',
    replace: '    if (!(await resumedAll(root, sleepersOf(root, root.sleep).map(({ id }) => id))))',
    harm: 'Twenty agents ask at once for a quota that may still be spent.',
    tests: ['tests/tasks/limits/quota-sleep.test.ts'],
  },
  {
    id: 'limits-waits-without-end',
    file: 'src/main/tasks/limits/quota-sleep.ts',
    find: "    if (wait > quotaWaits) return end(root, 'no-waits-left')\n",
    replace: '',
    harm: 'A tree that may wait twice for its quota waits for weeks.',
    tests: ['tests/tasks/limits/quota-sleep.test.ts'],
  },
  {
    id: 'limits-withdrawn-message-given',
    file: 'src/main/tasks/messages/follow-ups.ts',
    find: '    waitingPrompts.filter(({ id }) => !beingWithdrawn.has(id))',
    replace: '    [...waitingPrompts]',
    harm: 'An agent acts on a message that the user has taken back.',
    tests: ['tests/tasks/messages/follow-ups.test.ts'],
  },
  {
    id: 'limits-pause-shown-on',
    file: 'src/main/tasks/activity/waits.ts',
    find: "      show({ state: 'working', text: 'Thinking' })\n",
    replace: '',
    harm: 'An agent is shown as paused while it works and is paid for.',
    tests: ['tests/tasks/activity/waits.test.ts'],
  },
]
