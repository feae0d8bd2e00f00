import type { Mutant } from './mutant.ts'

/** A session at work: permissions, slots, and agents that do not end. */
export const runsMutants: Mutant[] = [
  {
    id: 'runs-question-not-recorded',
    file: 'src/main/runs/permissions/permits.ts',
    find: '    await recorder.permission(asked, null)\n',
    replace: '',
    harm: 'After a crash during a question nothing says that the call has not run.',
    tests: ['tests/runs/permits.test.ts', 'tests/agents/permissions'],
  },
  {
    id: 'runs-secret-in-question',
    file: 'src/main/runs/permissions/permits.ts',
    find: '(await permissions.check({ name, input: visibleInput, ...shell }))?.action ?? checked.action',
    replace: 'checked.action',
    harm: "A question to the user records a secret of the call's input.",
    tests: ['tests/runs/permits.test.ts', 'tests/agents/permissions'],
  },
  {
    id: 'runs-new-agent-first',
    file: 'src/main/runs/semaphore.ts',
    find: "order === 'continue' && firstNew >= 0 ? firstNew : waiting.length",
    replace: 'waiting.length',
    harm: 'A parent whose sub-agents have ended waits behind agents that have not begun.',
    tests: ['tests/runs/semaphore.test.ts'],
  },
  {
    id: 'runs-outer-slot-lost',
    file: 'src/main/runs/semaphore.ts',
    find: '  } catch (error) {\n    outerSlot.release()\n',
    replace: '  } catch (error) {\n',
    harm: 'Each agent that is stopped while it waits takes a slot with it, until nothing runs.',
    tests: ['tests/runs/semaphore.test.ts'],
  },
  {
    id: 'runs-late-session-left-open',
    file: 'src/main/runs/until-stopped.ts',
    find: 'isOver && onLate(result)',
    replace: 'undefined',
    harm: 'An agent that opens its session after its run was stopped is never closed.',
    tests: ['tests/runs'],
  },
]
