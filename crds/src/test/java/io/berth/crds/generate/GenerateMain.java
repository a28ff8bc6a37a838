package io.berth.crds.generate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes the generated files: {@code GenerateMain ROOT}. */
public final class GenerateMain {

  private GenerateMain() {}

  /** Writes all generated files whose content has changed, and prints their names. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      System.err.println("usage: GenerateMain ROOT, the folder that holds crds/ and deploy/");
      System.exit(2);
    }
    Path root = Path.of(args[0]);
    for (Map.Entry<Path, String> file : GeneratedFiles.generate(root).entrySet()) {
      Path path = root.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      boolean current = Files.exists(path) && Files.readString(path).equals(file.getValue());
      if (!current) {
        Files.writeString(path, file.getValue());
      }
      System.out.println((current ? "unchanged " : "wrote     ") + file.getKey());
    }
  }
}
