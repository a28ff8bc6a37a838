package io.berth.demo.sample;

import io.berth.crds.SchedulingPolicy;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The commands of a sample's README, and a kubectl for them: it does what those that change
 * something do, and lets the others pass. A command that it does not know fails the test.
 */
final class ReadmeCommands {
  private static final Pattern APPLY = Pattern.compile("kubectl apply -f samples/(\\S+)");
  private static final Pattern SCALE =
      Pattern.compile("kubectl (?:-n (\\S+) )?scale deployment (\\S+) --replicas=(\\d+)");
  private static final Pattern LABEL = Pattern.compile("kubectl label node (\\S+) (\\S+)=(\\S+)");
  private static final Pattern PATCH =
      Pattern.compile("kubectl patch spol (\\S+) --type merge -p '([^']+)'");
  private static final Pattern LOOK =
      Pattern.compile("kubectl (?:-n \\S+ )?(?:get|describe|edit) .*");

  private final KubernetesClient client;

  ReadmeCommands(KubernetesClient client) {
    this.client = client;
  }

  /** The commands of the README's code blocks, without their comments. */
  static List<String> of(Checkout checkout, String sample) throws IOException {
    Path readme = checkout.root().resolve("samples").resolve(sample).resolve("README.md");
    List<String> commands = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(readme)) {
      if (line.startsWith("```")) {
        code = !code;
      } else if (code) {
        commands.add(line.split(" #", 2)[0].strip());
      }
    }
    return commands;
  }

  /**
   * Does what a command does.
   *
   * @param node the node that is meant where the README leaves the choice to its reader
   */
  void run(String command, String node) {
    Matcher apply = APPLY.matcher(command);
    Matcher scale = SCALE.matcher(command);
    Matcher label = LABEL.matcher(command);
    Matcher patch = PATCH.matcher(command);
    if (apply.matches()) {
      new Manifests(client).apply(Checkout.find().sample(apply.group(1)), object -> true);
    } else if (scale.matches()) {
      client
          .apps()
          .deployments()
          .inNamespace(scale.group(1) == null ? "default" : scale.group(1))
          .withName(scale.group(2))
          .scale(Integer.parseInt(scale.group(3)));
    } else if (patch.matches()) {
      client
          .resources(SchedulingPolicy.class)
          .withName(patch.group(1))
          .patch(PatchContext.of(PatchType.JSON_MERGE), patch.group(2));
    } else if (label.matches()) {
      String named = label.group(1).equals("NODE") ? node : label.group(1);
      client
          .nodes()
          .withName(named)
          .edit(
              found -> {
                found.getMetadata().getLabels().put(label.group(2), label.group(3));
                return found;
              });
    } else if (!LOOK.matcher(command).matches()) {
      throw new IllegalArgumentException("this test does not know the command: " + command);
    }
  }
}
