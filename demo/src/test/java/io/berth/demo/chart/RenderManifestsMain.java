package io.berth.demo.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Renders the chart into {@code deploy/manifests} and {@code deploy/features}: {@code
 * RenderManifestsMain ROOT}.
 */
public final class RenderManifestsMain {

  private RenderManifestsMain() {}

  /** Writes every manifest whose content has changed, and prints its name. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      System.err.println(
          "usage: RenderManifestsMain ROOT, where ROOT is the folder that contains deploy/");
      System.exit(2);
    }
    Path root = Path.of(args[0]);
    Chart chart = new Chart(root);
    write(root, "manifests", chart.manifests());
    write(root, "features", chart.features());
  }

  private static void write(Path root, String folder, Map<String, String> manifests)
      throws IOException {
    for (Map.Entry<String, String> manifest : manifests.entrySet()) {
      Path file = root.resolve("deploy").resolve(folder).resolve(manifest.getKey());
      Files.createDirectories(file.getParent());
      boolean current = Files.exists(file) && Files.readString(file).equals(manifest.getValue());
      if (!current) {
        Files.writeString(file, manifest.getValue());
      }
      System.out.println((current ? "unchanged " : "wrote     ") + root.relativize(file));
    }
  }
}
