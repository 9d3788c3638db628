import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA, PATTERN_METADATA } from '@nestjs/microservices/constants';

/**
 * Lets an `@EventPattern` handler be written as `(message, context)`. Nest hands an undecorated handler its first
 * argument only, and the missing context would show itself at the first use of a signal. Works at construction, which
 * is after the modules were scanned and before the handlers are bound.
 */
@Injectable()
export class HandlerParameters {
  constructor(discovery: DiscoveryService, scanner: MetadataScanner) {
    for (const { metatype } of discovery.getControllers()) {
      const prototype: unknown = typeof metatype === 'function' ? metatype.prototype : undefined;
      if (typeof prototype !== 'object' || prototype === null) continue;
      for (const name of scanner.getAllMethodNames(prototype)) complete(prototype, name);
    }
  }
}

const complete = (prototype: object, name: string): void => {
  const method = (prototype as Record<string, unknown>)[name];
  if (typeof method !== 'function' || !Reflect.hasMetadata(PATTERN_METADATA, method)) return;
  if (Reflect.hasMetadata(PARAM_ARGS_METADATA, prototype.constructor, name)) return;
  Payload()(prototype, name, 0);
  Ctx()(prototype, name, 1);
};
