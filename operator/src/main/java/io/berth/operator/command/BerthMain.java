package io.berth.operator.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code java -jar berth.jar run|check|render|convert}. */
@Command(
    name = "berth",
    description = "Schedules Kubernetes pods by policies that are Kubernetes objects.",
    mixinStandardHelpOptions = true,
    versionProvider = BerthVersion.class,
    subcommands = {
      RunCommand.class,
      CheckCommand.class,
      RenderCommand.class,
      ConvertCommand.class,
      ReplayCommand.class
    })
public final class BerthMain {

  private static final String NETTY_JFR = "io.netty.jfr.enabled";

  private BerthMain() {}

  /**
   * Runs a command and exits the process with its exit code: 0 on success; 1 if it could not start,
   * or found a problem; 2 on wrong usage.
   */
  public static void main(String[] args) {
    CompilerPriority.lower();
    // Netty emits a JFR event for every buffer if it can, which slows down startup.
    if (System.getProperty(NETTY_JFR) == null) {
      System.setProperty(NETTY_JFR, "false");
    }
    System.exit(commandLine().execute(args));
  }

  /** The command line, for use within another process. */
  public static CommandLine commandLine() {
    return new CommandLine(new BerthMain()).setCaseInsensitiveEnumValuesAllowed(true);
  }
}
