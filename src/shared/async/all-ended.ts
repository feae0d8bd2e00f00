/** Like `Promise.all`, but rejects only when all have settled, so that nothing is running any more. */
export async function allEnded<T extends readonly unknown[] | []>(promises: T) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
