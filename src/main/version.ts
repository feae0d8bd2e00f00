import manifest from '../../package.json' with { type: 'json' }

/** As package.json has it; the build puts it in. */
export const version: string = manifest.version
