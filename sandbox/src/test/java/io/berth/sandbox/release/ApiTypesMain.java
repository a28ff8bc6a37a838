package io.berth.sandbox.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Generates the table of API types from the Go sources of a Kubernetes release. The sources are
 * read from the folder {@code staging/src/k8s.io} of a checkout, which contains the modules api,
 * apimachinery, apiextensions-apiserver, and kube-aggregator.
 */
public final class ApiTypesMain {
  private static final int ARGUMENTS = 3;

  private ApiTypesMain() {}

  /**
   * Runs with three arguments: the folder, the release (for example {@code v1.36.2}), and the file
   * to write.
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != ARGUMENTS) {
      System.err.println("usage: ApiTypesMain FOLDER RELEASE FILE");
      System.exit(2);
    }
    String table = ApiTypesWriter.read(Path.of(arguments[0])).table(arguments[1]);
    Files.writeString(Path.of(arguments[2]), table, StandardCharsets.UTF_8);
    System.out.println(table.lines().count() + " lines written to " + arguments[2]);
  }
}
