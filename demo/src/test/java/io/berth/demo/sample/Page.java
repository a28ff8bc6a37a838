package io.berth.demo.sample;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A documentation page with commands.
 *
 * @param commands the commands of its code blocks, without comments
 * @param files the YAML examples that the reader saves under the name in their first line
 */
record Page(List<String> commands, Map<String, String> files) {
  private static final String FENCE = "```";

  /** Reads the README of a sample, in which every code block contains commands. */
  static Page sample(Checkout checkout, String sample) throws IOException {
    return read(checkout.root().resolve("samples").resolve(sample).resolve("README.md"), "");
  }

  /** Reads a guide, in which code blocks marked {@code sh} contain commands. */
  static Page guide(Checkout checkout, String guide) throws IOException {
    return read(checkout.root().resolve("docs/guides").resolve(guide + ".md"), "sh");
  }

  private static Page read(Path file, String language) throws IOException {
    List<String> commands = new ArrayList<>();
    Map<String, String> files = new LinkedHashMap<>();
    String block = null;
    List<String> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.startsWith(FENCE)) {
        lines.add(line);
      } else if (block == null) {
        block = line.substring(FENCE.length());
        lines.clear();
      } else {
        if (block.equals(language)) {
          lines.forEach(each -> commands.add(each.split(" #", 2)[0].strip()));
        } else if (block.equals("yaml") && lines.getFirst().startsWith("# ")) {
          files.put(lines.getFirst().substring(2), String.join("\n", lines));
        }
        block = null;
        lines.clear();
      }
    }
    return new Page(List.copyOf(commands), Map.copyOf(files));
  }
}
