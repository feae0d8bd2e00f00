import { z } from 'zod'
import { keyVariableSchema, modelRefSchema } from '../agents/model-refs.ts'
import {
  modelDefaultsSchema,
  modelTestSchema,
  providerEntrySchema,
  providerKeyCharsMax,
  providerStateSchema,
} from '../agents/provider-settings.ts'
import { base } from './base.ts'

export const models = {
  /** Lists the providers with their own address first, then those that the user added. */
  providers: base.output(
    z.object({
      providers: z.array(providerStateSchema),
      ...modelDefaultsSchema.shape,
    }),
  ),
  /** Adds a provider, or replaces the one of the same name. INVALID with the field that is wrong. */
  saveProvider: base
    .input(
      providerEntrySchema.extend({
        /** Checked by the service, whose error names the field and its format. */
        name: z.string(),
        baseUrl: z.string().optional(),
        contextTokens: z.number().optional(),
        /** Absent: the stored one is kept. Null: it is deleted. */
        key: z.string().trim().min(1).max(providerKeyCharsMax).nullable().optional(),
      }),
    )
    .output(z.object({})),
  /** Also deletes its key. NOT_FOUND: no provider has that name. */
  removeProvider: base.input(z.object({ name: z.string() })).output(z.object({})),
  /** Absent fields are unchanged. INVALID with the field: it names no provider. */
  setDefaults: base.input(modelDefaultsSchema.partial()).output(z.object({})),
  /** Reads the models of the provider, sorted. REFUSED with the provider's error. */
  list: base
    .input(z.object({ provider: z.string() }))
    .output(z.object({ models: z.array(z.string()) })),
  /**
   * Whether the list of prices has the model, `PROVIDER/MODEL`, so that a limit in money counts it. Null: no provider has
   * that name.
   */
  priced: base
    .input(z.object({ model: z.string() }))
    .output(z.object({ priced: z.boolean().nullable() })),
  /** Sends one short prompt, which may cost money. `model`: `PROVIDER/MODEL`. */
  test: base
    .input(
      z.object({
        model: z.string(),
        /** Absent: the provider's. */
        baseUrl: modelRefSchema.shape.baseUrl,
        /** The environment variable that holds the key, by name. Absent: the key that is set up. */
        keyEnv: keyVariableSchema.optional(),
      }),
    )
    .output(modelTestSchema),
}
