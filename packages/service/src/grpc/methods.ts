import type { DescMethodBiDiStreaming, DescMethodServerStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import { type ConnectRouter, createConnectRouter, type HandlerContext } from '@connectrpc/connect';
import type { Served } from '../links.ts';

/** Methods of all services, by path. */
export interface Methods {
  readonly unary: Map<string, Served<DescMethodUnary>>;
  /** One request, many answers. */
  readonly streams: Map<string, Served<DescMethodServerStreaming>>;
  /** Many requests, many answers. */
  readonly dialogues: Map<string, Served<DescMethodBiDiStreaming>>;
}

/** Collects the registrations of `routes`. The router only remembers it: this server speaks one protocol, and that on its own. */
export function collectMethods(routes: (router: ConnectRouter) => void): Methods {
  const methods: Methods = { unary: new Map(), streams: new Map(), dialogues: new Map() };
  const router = createConnectRouter();
  router.service = (service, implementation) => {
    for (const method of service.methods) {
      const found: unknown = Reflect.get(implementation, method.localName);
      if (typeof found !== 'function') continue;
      const call = (request: unknown, context: HandlerContext): unknown =>
        Reflect.apply(found, implementation, [request, context]);
      // Its kind is looked at next, which the types of the library do not follow.
      const served = { method, implementation: call } as Served<never>;
      const path = `/${service.typeName}/${method.name}`;
      if (method.methodKind === 'unary') methods.unary.set(path, served);
      if (method.methodKind === 'server_streaming') methods.streams.set(path, served);
      if (method.methodKind === 'bidi_streaming') methods.dialogues.set(path, served);
    }
    return router;
  };
  routes(router);
  return methods;
}
