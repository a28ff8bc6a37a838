package io.berth.operator.command;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The versions of Berth, from the jar's manifest, and of the JVM, for {@code --version}. */
final class BerthVersion implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version =
        Optional.ofNullable(BerthVersion.class.getPackage().getImplementationVersion())
            .orElse("of a build without a jar");
    return new String[] {"berth " + version, "Java " + Runtime.version()};
  }
}
