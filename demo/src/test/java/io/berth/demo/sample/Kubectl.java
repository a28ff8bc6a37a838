package io.berth.demo.sample;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.ground.BerthGround;
import io.berth.demo.plugin.PluginRun;
import io.berth.operator.command.BerthMain;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * An emulation of kubectl for the commands on pages. It executes commands that change objects or
 * whose output is checked, and skips commands that only show something. An unknown command fails
 * the test.
 */
final class Kubectl {
  private static final String NAMESPACE = "(?: -n (?<namespace>\\S+))?";

  private final Map<Pattern, Function<MatchResult, Output>> commands =
      Map.ofEntries(
          Map.entry(
              Pattern.compile("kubectl apply(?<dry> --dry-run=server)? -f (?<file>\\S+)"),
              this::apply),
          Map.entry(
              Pattern.compile(
                  "kubectl"
                      + NAMESPACE
                      + " scale deployment (?<name>\\S+) --replicas=(?<count>\\d+)"),
              this::scale),
          Map.entry(
              Pattern.compile("kubectl label node (?<nodes>.+) (?<key>[^ =]+)=(?<value>[^ =]+)"),
              this::label),
          Map.entry(
              Pattern.compile(
                  "kubectl taint node (?<nodes>.+) (?<key>[^ =]+)=(?<value>[^"
                      + " =]+):(?<effect>\\S+)"),
              this::taint),
          Map.entry(
              Pattern.compile(
                  "kubectl"
                      + NAMESPACE
                      + " patch (?<kind>\\S+) (?<name>\\S+) --type merge -p '(?<patch>.+)'"),
              this::patch),
          Map.entry(
              Pattern.compile(
                  "kubectl annotate node (?<nodes>.+) (?<key>[^ =]+)='?(?<value>[^ =']+)'?"),
              this::annotate),
          Map.entry(Pattern.compile("kubectl top (?:nodes|pods)"), shown -> Output.empty()),
          Map.entry(
              Pattern.compile(
                  "kubectl patch node (?<nodes>\\S+) --subresource=status --type=merge -p"
                      + " '(?<patch>.+)'"),
              this::patchNodeStatus),
          Map.entry(
              Pattern.compile("kubectl" + NAMESPACE + " delete (?<kind>\\S+) (?<name>\\S+)"),
              this::delete),
          Map.entry(Pattern.compile("kubectl delete pods -l (?<selector>\\S+)"), this::deletePods),
          Map.entry(
              Pattern.compile("kubectl" + NAMESPACE + " rollout restart deployment (?<name>\\S+)"),
              this::restart),
          Map.entry(
              Pattern.compile(
                  "kubectl create clusterrolebinding (?<name>\\S+) --clusterrole=(?<role>\\S+)"
                      + " --serviceaccount=(?<account>\\S+)"),
              this::bindRole),
          Map.entry(
              Pattern.compile(
                  "kubectl auth can-i (?<verb>\\S+) (?<what>\\S+)"
                      + NAMESPACE
                      + " --as (?<user>\\S+)"),
              this::mayThey),
          Map.entry(
              Pattern.compile(
                  "java -jar berth.jar (?<command>\\S+) (?<arguments>[^>]+)(?: > (?<out>\\S+))?"),
              this::berth),
          Map.entry(
              Pattern.compile("curl http://127.0.0.1:PORT/explain/node/(?<nodes>\\S+)/gpus"),
              this::explainCards),
          Map.entry(
              Pattern.compile(
                  "kubectl"
                      + NAMESPACE
                      + " get decision (?<name>\\S+) -o yaml(?: --as (?<user>\\S+))?"),
              this::decision),
          Map.entry(Pattern.compile("kubectl berth (?<arguments>.+)"), this::plugin),
          Map.entry(
              Pattern.compile("kubectl create -f (?<file>\\S+) -o yaml --as (?<user>\\S+)"),
              this::review),
          Map.entry(
              Pattern.compile("kubectl" + NAMESPACE + " (?:get|describe|edit) (?!decision ).*"),
              shown -> Output.empty()));

  /** The output of commands of the plugin, which are left out, if kubectl is not on the PATH. */
  static final Output WITHOUT_KUBECTL = new Output("", "kubectl is not on the PATH");

  private static final String QUERIES = "/apis/query.sched.cloud.ctrip.com/v1alpha1/";

  private final BerthGround ground;
  private final KubernetesClient client;
  private final Manifests manifests;
  private final Map<String, String> files;
  private final String node;

  /**
   * Prepares the commands of a page.
   *
   * @param files the files that the reader of the page has to save, by name
   * @param node the node to use for the placeholder NODE
   */
  Kubectl(BerthGround ground, Map<String, String> files, String node) {
    this.ground = ground;
    this.client = ground.admin();
    this.manifests = new Manifests(client);
    this.files = new HashMap<>(files);
    this.node = node;
  }

  /**
   * The output of a command.
   *
   * @param text the output; empty for commands that only show something
   * @param refusal the message of the API server if it rejected the command; otherwise empty
   */
  record Output(String text, String refusal) {
    static Output empty() {
      return new Output("", "");
    }
  }

  /** Executes a command. */
  Output run(String command) {
    for (var known : commands.entrySet()) {
      var matcher = known.getKey().matcher(command);
      if (matcher.matches()) {
        try {
          return known.getValue().apply(matcher.toMatchResult());
        } catch (KubernetesClientException e) {
          return new Output("", String.valueOf(e.getMessage()));
        }
      }
    }
    throw new IllegalArgumentException("this test does not know the command: " + command);
  }

  private Output apply(MatchResult command) {
    for (HasMetadata object : objects(command.group("file"))) {
      if (object.getMetadata().getNamespace() == null && object instanceof Pod) {
        object.getMetadata().setNamespace("default");
      }
      if (command.group("dry") == null) {
        manifests.apply(object);
      } else {
        manifests.applyDry(object);
      }
    }
    return Output.empty();
  }

  private List<HasMetadata> objects(String file) {
    if (files.containsKey(file)) {
      byte[] yaml = files.get(file).getBytes(StandardCharsets.UTF_8);
      return client.load(new ByteArrayInputStream(yaml)).items();
    }
    Path path = Checkout.find().root().resolve(file);
    List<Path> paths =
        file.startsWith("samples/") && Files.isDirectory(path)
            ? Checkout.find().sample(file.substring("samples/".length()))
            : file.equals("deploy/") ? Checkout.find().manifests() : List.of(path);
    if (!Files.exists(path)) {
      throw new IllegalArgumentException("neither the page nor the checkout has the file " + file);
    }
    List<HasMetadata> objects = new ArrayList<>();
    paths.forEach(each -> objects.addAll(manifests.read(each)));
    if (file.startsWith("deploy/")) {
      objects.removeIf(BerthInstallation::needsNodes);
      // Here, the API server calls the webhook by URL, and a configuration cannot contain both a
      // URL and a Service.
      objects.removeIf(object -> object.getKind().endsWith("WebhookConfiguration"));
    }
    return objects;
  }

  private Output scale(MatchResult command) {
    client
        .apps()
        .deployments()
        .inNamespace(namespace(command))
        .withName(command.group("name"))
        .scale(Integer.parseInt(command.group("count")));
    return Output.empty();
  }

  private Output label(MatchResult command) {
    return editNodes(
        command, metadata -> metadata.addToLabels(command.group("key"), command.group("value")));
  }

  private Output annotate(MatchResult command) {
    return editNodes(
        command,
        metadata -> metadata.addToAnnotations(command.group("key"), command.group("value")));
  }

  private Output editNodes(MatchResult command, UnaryOperator<ObjectMetaBuilder> change) {
    for (String name : nodes(command)) {
      client
          .nodes()
          .withName(name)
          .edit(
              found ->
                  new NodeBuilder(found)
                      .withMetadata(
                          change.apply(new ObjectMetaBuilder(found.getMetadata())).build())
                      .build());
    }
    return Output.empty();
  }

  private Output taint(MatchResult command) {
    Taint taint =
        new Taint(command.group("effect"), command.group("key"), null, command.group("value"));
    for (String name : nodes(command)) {
      client
          .nodes()
          .withName(name)
          .edit(found -> new NodeBuilder(found).editSpec().addToTaints(taint).endSpec().build());
    }
    return Output.empty();
  }

  private List<String> nodes(MatchResult command) {
    return List.of(command.group("nodes").replace("NODE", node).split(" "));
  }

  private Output patch(MatchResult command) {
    named(command).patch(PatchContext.of(PatchType.JSON_MERGE), command.group("patch"));
    return Output.empty();
  }

  private Output patchNodeStatus(MatchResult command) {
    for (String name : nodes(command)) {
      client
          .nodes()
          .withName(name)
          .subresource("status")
          .patch(PatchContext.of(PatchType.JSON_MERGE), command.group("patch"));
    }
    return Output.empty();
  }

  private Output delete(MatchResult command) {
    named(command).delete();
    return Output.empty();
  }

  private Output deletePods(MatchResult command) {
    client.pods().inNamespace("default").withLabelSelector(command.group("selector")).delete();
    return Output.empty();
  }

  private Resource<? extends HasMetadata> named(MatchResult command) {
    String name = command.group("name");
    return switch (command.group("kind")) {
      case "nsc" -> client.resources(NodeSchedulerConfig.class).withName(name);
      case "spol" -> client.resources(SchedulingPolicy.class).withName(name);
      case "sq" -> client.resources(SchedulingQueue.class).withName(name);
      case "scb" ->
          client
              .resources(SchedulerConfigBinding.class)
              .inNamespace(namespace(command))
              .withName(name);
      case "job" -> client.resources(Job.class).inNamespace(namespace(command)).withName(name);
      case "resourcequota" ->
          client.resources(ResourceQuota.class).inNamespace(namespace(command)).withName(name);
      case "configmap" ->
          client.resources(ConfigMap.class).inNamespace(namespace(command)).withName(name);
      default ->
          throw new IllegalArgumentException(
              "this test does not know the kind: " + command.group("kind"));
    };
  }

  private Output restart(MatchResult command) {
    client
        .apps()
        .deployments()
        .inNamespace(namespace(command))
        .withName(command.group("name"))
        .rolling()
        .restart();
    return Output.empty();
  }

  private KubernetesClient as(String user) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(client.getConfiguration()).withImpersonateUsername(user).build())
        .build();
  }

  /** Reads a decision; POD stands for any pod of the namespace. */
  private Output decision(MatchResult command) {
    String space = namespace(command);
    String name =
        command.group("name").equals("POD")
            ? client.pods().inNamespace(space).list().getItems().getFirst().getMetadata().getName()
            : command.group("name");
    String path = QUERIES + "namespaces/%s/decisions/%s".formatted(space, name);
    if (command.group("user") == null) {
      return new Output(client.raw(path), "");
    }
    try (KubernetesClient user = as(command.group("user"))) {
      return new Output(user.raw(path), "");
    }
  }

  /** Creates an object of the API group of queries, which answers in its status. */
  private Output review(MatchResult command) {
    GenericKubernetesResource asked =
        Serialization.unmarshal(
            Objects.requireNonNull(files.get(command.group("file"))),
            GenericKubernetesResource.class);
    String kinds = asked.getKind().toLowerCase(Locale.ROOT) + "s";
    String path =
        Optional.ofNullable(asked.getMetadata())
            .map(ObjectMeta::getNamespace)
            .map(namespace -> "namespaces/%s/%s".formatted(namespace, kinds))
            .orElse(kinds);
    try (KubernetesClient user = as(command.group("user"))) {
      return new Output(user.raw(QUERIES + path, "POST", asked), "");
    }
  }

  private Output bindRole(MatchResult command) {
    String[] account = command.group("account").split(":");
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(command.group("name"))
                .endMetadata()
                .withNewRoleRef()
                .withApiGroup("rbac.authorization.k8s.io")
                .withKind("ClusterRole")
                .withName(command.group("role"))
                .endRoleRef()
                .addNewSubject()
                .withKind("ServiceAccount")
                .withNamespace(account[0])
                .withName(account[1])
                .endSubject()
                .build())
        .create();
    return Output.empty();
  }

  private Output mayThey(MatchResult command) {
    SubjectAccessReviewBuilder review = new SubjectAccessReviewBuilder();
    String what = command.group("what");
    SubjectAccessReview asked =
        what.startsWith("/")
            ? review
                .withNewSpec()
                .withUser(command.group("user"))
                .withNewNonResourceAttributes(what, command.group("verb"))
                .endSpec()
                .build()
            : review
                .withNewSpec()
                .withUser(command.group("user"))
                .withNewResourceAttributes()
                .withNamespace(namespace(command))
                .withVerb(command.group("verb"))
                .withResource(what)
                .endResourceAttributes()
                .endSpec()
                .build();
    SubjectAccessReview answer = client.authorization().v1().subjectAccessReview().create(asked);
    return new Output(answer.getStatus().getAllowed() ? "yes" : "no", "");
  }

  /** Runs a berth command in a folder with the files of the page. */
  private Output berth(MatchResult command) {
    try {
      Path folder = Files.createTempDirectory("page");
      List<String> arguments = new ArrayList<>(List.of(command.group("command")));
      for (String argument : command.group("arguments").split(" ")) {
        if (files.containsKey(argument)) {
          arguments.add(
              Files.writeString(folder.resolve(argument), files.get(argument)).toString());
        } else {
          arguments.add(argument);
        }
      }
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      int code =
          BerthMain.commandLine()
              .setOut(new PrintWriter(out))
              .setErr(new PrintWriter(err))
              .execute(arguments.toArray(String[]::new));
      if (command.group("out") != null) {
        files.put(command.group("out"), out.toString());
      }
      return new Output(out.toString(), code == 0 ? "" : "exit code " + code + ": " + out + err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the plugin with the real kubectl, in a folder with the files of the page. */
  private Output plugin(MatchResult command) {
    if (!PluginRun.kubectlIsThere()) {
      return WITHOUT_KUBECTL;
    }
    try {
      Path folder = Files.createTempDirectory("page");
      Files.writeString(folder.resolve("kubeconfig"), ground.kubeconfig());
      for (Map.Entry<String, String> file : files.entrySet()) {
        Files.writeString(folder.resolve(file.getKey()), file.getValue());
      }
      PluginRun run = PluginRun.of(folder, Map.of(), command.group("arguments").split(" "));
      return new Output(
          run.out(), run.code() == 0 ? "" : "exit code " + run.code() + ": " + run.err());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  private Output explainCards(MatchResult command) {
    return new Output(ground.cards(command.group("nodes")).toString(), "");
  }

  private static String namespace(MatchResult command) {
    String namespace = command.group("namespace");
    return namespace == null ? "default" : namespace;
  }
}
