import { randomUUID } from 'node:crypto'

export const fileName = 'lease.json'
/** Never read or written; exists only for the kernel's lock on it. */
export const lockName = 'lease.lock'

/** A new name for a file that exists for a moment. One that is left behind is removed by `sweepLeftovers`. */
export const preparedName = (): string => `${fileName}.${randomUUID()}.prepared`
