package io.berth.operator.command;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A run of the command line, within this process. */
record CommandRun(int exitCode, String out, String err) {

  static CommandRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        BerthMain.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new CommandRun(code, out.toString(), err.toString());
  }
}
