package io.berth.operator;

import io.berth.operator.command.CheckCommand;
import io.berth.operator.command.ConvertCommand;
import io.berth.operator.command.RenderCommand;
import io.berth.operator.command.RunCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code java -jar berth.jar run|check|render|convert}. */
@Command(
    name = "berth",
    description = "Schedules Kubernetes pods by policies that are Kubernetes objects.",
    mixinStandardHelpOptions = true,
    versionProvider = BerthVersion.class,
    subcommands = {RunCommand.class, CheckCommand.class, RenderCommand.class, ConvertCommand.class})
public final class BerthMain {

  private static final String NETTY_JFR = "io.netty.jfr.enabled";

  private BerthMain() {}

  /**
   * Runs a command and ends the process with its exit code: 0 well; 1 could not start, or found
   * something wrong; 2 wrong usage.
   */
  public static void main(String[] args) {
    // Netty makes a JFR event of every buffer if it can, which costs time at the start.
    if (System.getProperty(NETTY_JFR) == null) {
      System.setProperty(NETTY_JFR, "false");
    }
    System.exit(commandLine().execute(args));
  }

  /** The commands, for running within another process. */
  public static CommandLine commandLine() {
    return new CommandLine(new BerthMain()).setCaseInsensitiveEnumValuesAllowed(true);
  }
}
