import { type DescExtension, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { type ServerReflectionRequest, ServerReflection as V1 } from '../gen/grpc/reflection/v1/reflection_pb.ts';
import {
  type ServerReflectionRequest as AlphaRequest,
  ServerReflection as V1Alpha,
} from '../gen/grpc/reflection/v1alpha/reflection_pb.ts';

type Question = ServerReflectionRequest['messageRequest'] | AlphaRequest['messageRequest'];
type Answer =
  | { case: 'fileDescriptorResponse'; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: 'allExtensionNumbersResponse'; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: 'listServicesResponse'; value: { service: { name: string }[] } }
  | { case: 'errorResponse'; value: { errorCode: number; errorMessage: string } };

/** Tells clients without our definitions the methods of the server, in both versions of the protocol. */
export function reflectionRoutes(router: ConnectRouter, services: readonly DescService[]): void {
  const answer = createReflection([...services, V1, V1Alpha]);
  router.service(V1, {
    async *serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>) {
      for await (const request of requests) yield reply(request, answer(request.messageRequest));
    },
  });
  router.service(V1Alpha, {
    async *serverReflectionInfo(requests: AsyncIterable<AlphaRequest>) {
      for await (const request of requests) yield reply(request, answer(request.messageRequest));
    },
  });
}

function reply<R extends { readonly host: string }>(request: R, messageResponse: Answer) {
  return { validHost: request.host, originalRequest: request, messageResponse };
}

/** The questions and answers of the protocol, without its streams. */
export function createReflection(services: readonly DescService[]): (question: Question) => Answer {
  const files = toFiles(services);
  const symbols = getSymbols(files.values());
  const extensions = getExtensions(files.values());

  return (question) => {
    switch (question.case) {
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case 'fileByFilename':
        return fileAnswer(files.get(question.value), `file ${question.value}`);
      case 'fileContainingSymbol':
        return fileAnswer(symbols.get(question.value.replace(/^\./, '')), `symbol ${question.value}`);
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = question.value;
        const found = extensions.get(containingType)?.find(({ number }) => number === extensionNumber);
        return fileAnswer(found?.file, `extension ${extensionNumber} of ${containingType}`);
      }
      case 'allExtensionNumbersOfType': {
        const found = extensions.get(question.value) ?? [];
        const value = { baseTypeName: question.value, extensionNumber: found.map(({ number }) => number) };
        return symbols.has(question.value) ? { case: 'allExtensionNumbersResponse', value } : missing(question.value);
      }
      case undefined:
        return { case: 'errorResponse', value: { errorCode: Code.InvalidArgument, errorMessage: 'no question' } };
    }
  };
}

function missing(what: string): Answer {
  return { case: 'errorResponse', value: { errorCode: Code.NotFound, errorMessage: `not found: ${what}` } };
}

/** A file with everything it imports, so that a client needs no second question. */
function fileAnswer(file: DescFile | undefined, what: string): Answer {
  if (file === undefined) return missing(what);
  const fileDescriptorProto = [...withImports([file])].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

function toFiles(services: readonly DescService[]): ReadonlyMap<string, DescFile> {
  const all = withImports(services.map(({ file }) => file));
  return new Map([...all].map((file) => [file.proto.name, file]));
}

function withImports(files: readonly DescFile[], seen = new Set<DescFile>()): Set<DescFile> {
  for (const file of files) {
    if (seen.has(file)) continue;
    seen.add(file);
    withImports(file.dependencies, seen);
  }
  return seen;
}

/** The file of every full name: types with their members, services with their methods. */
function getSymbols(files: Iterable<DescFile>): ReadonlyMap<string, DescFile> {
  const symbols = new Map<string, DescFile>();
  const add = (file: DescFile, ...names: string[]) => void symbols.set(names.join('.'), file);
  for (const file of files) {
    for (const service of file.services) {
      add(file, service.typeName);
      for (const method of service.methods) add(file, service.typeName, method.name);
    }
    const enums = [...file.enums];
    const messages = [...file.messages];
    for (let message = messages.pop(); message !== undefined; message = messages.pop()) {
      add(file, message.typeName);
      for (const member of [...message.fields, ...message.oneofs]) add(file, message.typeName, member.name);
      messages.push(...message.nestedMessages);
      enums.push(...message.nestedEnums);
      for (const extension of message.nestedExtensions) add(file, extension.typeName);
    }
    for (const { typeName } of [...enums, ...file.extensions]) add(file, typeName);
  }
  return symbols;
}

function getExtensions(files: Iterable<DescFile>): ReadonlyMap<string, readonly DescExtension[]> {
  const byType = new Map<string, DescExtension[]>();
  for (const file of files) {
    for (const extension of file.extensions) {
      const item = byType.get(extension.extendee.typeName) ?? [];
      byType.set(extension.extendee.typeName, [...item, extension]);
    }
  }
  return byType;
}
