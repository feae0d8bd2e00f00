/**
 * Many calls may write to a store concurrently; a collection excludes them all, because it must not
 * delete an object that a writer found there and therefore did not write again. Only one process
 * writes to a data directory.
 */
interface Gate {
  users: number
  /** The running or waiting collection, if any. */
  collection: Promise<unknown> | null
  idle: (() => void)[]
}

const gates = new Map<string, Gate>()

function gateOf(store: string): Gate {
  const gate = gates.get(store) ?? { users: 0, collection: null, idle: [] }
  gates.set(store, gate)
  return gate
}

/** Runs `work` while no collection of the store runs. Without a store (null), runs it at once. */
export async function withSharedStore<Result>(
  store: string | null,
  work: () => Promise<Result>,
): Promise<Result> {
  if (store === null) return work()
  const gate = gateOf(store)
  while (gate.collection) await gate.collection.catch(() => {})
  gate.users++
  try {
    return await work()
  } finally {
    gate.users--
    if (gate.users === 0) for (const wake of gate.idle.splice(0)) wake()
  }
}

/** Runs `work` once no call of `withSharedStore` for the store is running; later calls wait. */
export async function withExclusiveStore<Result>(
  store: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const gate = gateOf(store)
  while (gate.collection) await gate.collection.catch(() => {})
  const run = async () => {
    if (gate.users > 0) await new Promise<void>((resolve) => gate.idle.push(resolve))
    return work()
  }
  const collection = run()
  gate.collection = collection
  try {
    return await collection
  } finally {
    gate.collection = null
  }
}
