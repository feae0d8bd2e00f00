import { journalMutants } from './journal.ts'
import type { Mutant } from './mutant.ts'

export const mutants: Mutant[] = [...journalMutants]
