import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HandlerParameters } from './handler-parameters';

/** Makes the shell's providers visible to every module of the app; it holds infrastructure only, never domain. */
@Module({})
export class ShellModule {
  static with(providers: { provide: symbol; useValue: unknown }[]): DynamicModule {
    return {
      module: ShellModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [...(providers as Provider[]), HandlerParameters],
      exports: providers.map(({ provide }) => provide),
    };
  }

  /** The app's own module beside the shell's. */
  static around(app: NonNullable<DynamicModule['imports']>[number], shell: DynamicModule): DynamicModule {
    return { module: RootModule, imports: [shell, app] };
  }
}

@Module({})
class RootModule {}
