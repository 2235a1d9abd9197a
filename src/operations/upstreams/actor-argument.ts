import type { Json } from '../../gate/canonical.ts'
import type { ServedTool } from '../../upstreams/served-tool.ts'
import { namesActor } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'

export type ActorArgument = 'actor' | 'gate_actor'

/** The argument that names the member, beside those of the tool: another name where the tool has an `actor` itself. Pure. */
export function actorArgument({ definition }: Pick<ServedTool, 'definition'>): ActorArgument {
  const { properties } = definition.inputSchema
  return properties && Object.hasOwn(properties, 'actor') ? 'gate_actor' : 'actor'
}

/** Divides what an agent sent into the member that the call acts for and the arguments of the tool. Pure. */
export function splitActor(
  context: Pick<CallContext, 'actors'>,
  tool: Pick<ServedTool, 'definition'>,
  given: { [name: string]: Json | undefined },
): { actor: Json | undefined; args: { [name: string]: Json | undefined } } {
  if (!namesActor(context)) return { actor: undefined, args: given }
  const { [actorArgument(tool)]: actor, ...args } = given
  return { actor, args }
}
