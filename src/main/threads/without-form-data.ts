/**
 * For threads that answer ORPC calls with plain values. ORPC asks of every message whether it is FormData, at which Node
 * loads its whole HTTP client: more than half of what it takes to start a thread.
 */
globalThis.FormData = class {} as typeof FormData
