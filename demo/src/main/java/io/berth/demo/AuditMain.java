package io.berth.demo;

import io.berth.demo.audit.Advisories;
import io.berth.demo.audit.Advisory;
import io.berth.demo.audit.Component;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make audit}: lists the licences and the known vulnerabilities of Berth's libraries. */
@Command(
    name = "make audit",
    description =
        "Lists the licences of the libraries in Berth, and their known vulnerabilities. Fails if"
            + " there is a vulnerability, or a licence that nobody has looked at.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class AuditMain implements Callable<Integer> {
  /** The licences with which a library may be part of Berth, which has the Apache License 2.0. */
  private static final Set<String> ACCEPTED =
      Set.of(
          "Apache-2.0",
          "Apache 2 License", // as the operator SDK writes it
          "BSD-3-Clause",
          "Bouncy Castle Licence", // the text of the MIT licence
          "CC0-1.0",
          "EPL-2.0",
          "Go License", // the text of BSD-3-Clause
          "MIT");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--bom",
      paramLabel = "FILE",
      required = true,
      description = "The bill of materials, in CycloneDX's JSON.")
  private Path bom = Path.of("");

  @Option(
      names = "--known",
      paramLabel = "DIR",
      required = true,
      description = "The advisories that the project keeps.")
  private Path known = Path.of("");

  @Option(
      names = "--advisories",
      paramLabel = "DIR|ZIP",
      description =
          "All advisories: a copy of OSV's for Maven, or of GitHub's advisory database. Without"
              + " it, only the advisories that the project keeps are checked.")
  private @Nullable Path advisories;

  public static void main(String[] args) {
    System.exit(new CommandLine(new AuditMain()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<Component> components = Component.in(bom);
    out.printf("%d libraries%n%n", components.size());
    List<String> unknown = licences(components, out);
    List<Advisory> all = new ArrayList<>(Advisories.in(known));
    int kept = all.size();
    if (advisories != null) {
      all.addAll(Advisories.in(advisories));
    }
    List<String> vulnerable = vulnerabilities(components, all);
    out.println();
    vulnerable.forEach(out::println);
    out.printf("%d known vulnerabilities, by %d advisories%n", vulnerable.size(), all.size());
    if (advisories == null) {
      out.printf(
          "Not checked: advisories other than the %d in %s. For all of them, download OSV's"
              + " (Maven/all.zip), and run: make audit ADVISORIES=all.zip%n",
          kept, known);
    }
    out.println("Not checked: the base image, and the JDK in it");
    unknown.forEach(
        name ->
            out.printf(
                "%s: nobody has looked at this licence. Add it to AuditMain.ACCEPTED if it can be"
                    + " part of Berth%n",
                name));
    out.flush();
    return vulnerable.isEmpty() && unknown.isEmpty() ? 0 : 1;
  }

  /** Prints the libraries by licence; returns those of which no licence is accepted. */
  private static List<String> licences(List<Component> components, PrintWriter out) {
    Map<String, List<String>> byLicence = new TreeMap<>();
    List<String> unknown = new ArrayList<>();
    for (Component component : components) {
      String text =
          component.licences().isEmpty()
              ? "no licence given"
              : String.join(" or ", component.licences());
      byLicence.computeIfAbsent(text, any -> new ArrayList<>()).add(component.name());
      if (component.licences().stream().noneMatch(ACCEPTED::contains)) {
        unknown.add(component.name() + " (" + text + ")");
      }
    }
    byLicence.forEach(
        (licence, names) ->
            out.printf("%s (%d): %s%n", licence, names.size(), String.join(", ", names)));
    return unknown;
  }

  private static List<String> vulnerabilities(List<Component> components, List<Advisory> all) {
    List<String> found = new ArrayList<>();
    for (Advisory advisory : all) {
      for (Component component : components) {
        if (advisory.affects(component)) {
          found.add(
              "%s %s: %s: %s"
                  .formatted(
                      component.name(), component.version(), advisory.id(), advisory.summary()));
        }
      }
    }
    return found;
  }
}
