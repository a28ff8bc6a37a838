package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A failed start reports in one line what is wrong, where, and what to do. */
class RunCommandTest {

  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");

  @TempDir Path folder;

  private static CommandRun run(String... arguments) {
    return CommandRun.of(arguments);
  }

  private Path kubeconfig(String text) throws IOException {
    Path file = folder.resolve("kubeconfig");
    Files.writeString(file, text);
    return file;
  }

  @Test
  void kubeconfig_thatIsNotThere_isNamed() {
    CommandRun ran = run("run", "--kubeconfig", folder.resolve("nowhere").toString());

    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains("--kubeconfig", "nowhere", "file not found").hasLineCount(1);
  }

  @Test
  void kubeconfig_thatIsNone_isNamed() throws IOException {
    CommandRun ran = run("run", "--kubeconfig", kubeconfig("- neither\n- this: [").toString());

    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains("not a valid kubeconfig").hasLineCount(1);
  }

  @Test
  void cluster_withoutTheResourceDefinitions_saysHowToInstallThem() throws IOException {
    try (Sandbox sandbox = Sandbox.start(SandboxOptions.defaults())) {
      CommandRun ran =
          run(
              "run",
              "--kubeconfig",
              kubeconfig(sandbox.kubeconfig()).toString(),
              "--http-port",
              "0");

      assertThat(ran.exitCode()).isEqualTo(1);
      assertThat(ran.err())
          .contains("does not serve schedulingpolicies.sched.cloud.ctrip.com", "kubectl apply -f")
          .hasLineCount(1);
    }
  }

  @Test
  void account_withoutRights_saysWhichItLacks_andHowToGrantThem() throws IOException {
    try (Sandbox sandbox = Sandbox.start(SandboxOptions.defaults())) {
      installDefinitions(sandbox);
      String stranger = sandbox.kubeconfig(token(sandbox));

      CommandRun ran =
          run("run", "--kubeconfig", kubeconfig(stranger).toString(), "--http-port", "0");

      assertThat(ran.exitCode()).isEqualTo(1);
      assertThat(ran.err())
          .contains(
              "is not allowed to list schedulingpolicies.sched.cloud.ctrip.com", "30-rbac.yaml")
          .hasLineCount(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "--tracing-endpoint collector:4318, http:// or https:// URL of a collector",
        "--tracing-endpoint http://collector:4318 --no-webhook, traces begin in the webhook",
        "--tracing-endpoint http://collector:4318 --tracing-sample-ratio 1.5, a number from 0 to 1"
      })
  void tracingOptions_thatCannotBe_areNamed(String options, String what) {
    CommandRun ran = run(("run " + options).split(" "));

    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains("--tracing", what).hasLineCount(1);
  }

  @Test
  void port_inUse_isNamedWithTheOptionThatChangesIt() throws IOException {
    try (Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
        ServerSocket taken = new ServerSocket(0)) {
      installDefinitions(sandbox);
      String port = String.valueOf(taken.getLocalPort());

      CommandRun ran =
          run(
              "run",
              "--kubeconfig",
              kubeconfig(sandbox.kubeconfig()).toString(),
              "--http-port",
              port,
              "--no-webhook");

      assertThat(ran.exitCode()).isEqualTo(1);
      assertThat(ran.err()).contains("port " + port + " is in use", "--http-port").hasLineCount(1);
    }
  }

  @Test
  void webhookUrl_withoutHttps_isRefused() {
    CommandRun ran = run("run", "--webhook-url", "http://here");

    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains("--webhook-url http://here", "https://").hasLineCount(1);
  }

  @Test
  void schedulerNames_thatNoPodCanHave_areRefused() {
    CommandRun ran = run("run", "--scheduler-name=berth,Volcano");

    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains("--scheduler-name \"Volcano\"").hasLineCount(1);
  }

  @Test
  void schedulerNames_thatAreGivenTwice_areRefused() {
    CommandRun ran = run("run", "--scheduler-name=berth,volcano", "--scheduler-name=berth");

    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains("use each name once").hasLineCount(1);
  }

  @Test
  void unknownOption_endsWithUsage() {
    CommandRun ran = run("run", "--no-such-option");

    assertThat(ran.exitCode()).isEqualTo(2);
    assertThat(ran.err()).contains("--no-such-option");
  }

  private static String token(Sandbox sandbox) {
    Config config = Config.fromKubeconfig(sandbox.kubeconfig());
    try (KubernetesClient admin = new KubernetesClientBuilder().withConfig(config).build()) {
      var accounts = admin.serviceAccounts().inNamespace("default");
      accounts
          .resource(
              new ServiceAccountBuilder()
                  .withNewMetadata()
                  .withName("stranger")
                  .endMetadata()
                  .build())
          .create();
      return accounts
          .withName("stranger")
          .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build())
          .getStatus()
          .getToken();
    }
  }

  private static void installDefinitions(Sandbox sandbox) throws IOException {
    Config config = Config.fromKubeconfig(sandbox.kubeconfig());
    try (KubernetesClient admin = new KubernetesClientBuilder().withConfig(config).build();
        InputStream yaml = Files.newInputStream(MANIFESTS.resolve("00-crds.yaml"))) {
      admin.load(yaml).serverSideApply();
    }
  }
}
