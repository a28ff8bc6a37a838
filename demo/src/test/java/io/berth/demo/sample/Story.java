package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowingConsumer;

/** The commands of a page with the expected result of each. */
record Story(String name, List<Step> steps) {

  /** A check of the cluster and the output of the preceding command. */
  @FunctionalInterface
  interface Expectation {
    void check(BerthGround ground, Kubectl.Output output) throws Exception;
  }

  record Step(String command, Expectation expectation) {}

  /** A builder of a story. */
  static final class Steps {
    private final List<Step> steps = new ArrayList<>();

    /** Adds a command that succeeds, with a check of the result. */
    Steps then(String command, ThrowingConsumer<BerthGround> expectation) {
      return answered(
          command,
          (ground, output) -> {
            assertThat(output.refusal()).as(command).isEmpty();
            expectation.accept(ground);
          });
    }

    /**
     * Adds a command of the plugin that succeeds and prints these words, with a check of the
     * result. It is left out if kubectl is not on the PATH, so later steps must not need it.
     */
    Steps plugin(String command, String words, ThrowingConsumer<BerthGround> expectation) {
      return answered(
          command,
          (ground, output) -> {
            if (!output.equals(Kubectl.WITHOUT_KUBECTL)) {
              assertThat(output.refusal()).as(command).isEmpty();
              assertThat(output.text()).as(command).contains(words);
              expectation.accept(ground);
            }
          });
    }

    /** Adds a command that is rejected with a message. */
    Steps refused(String command, String words) {
      return answered(
          command, (ground, output) -> assertThat(output.refusal()).as(command).contains(words));
    }

    /** Adds a command with a check of its output. */
    Steps answered(String command, Expectation expectation) {
      steps.add(new Step(command, expectation));
      return this;
    }

    Story of(String name) {
      return new Story(name, List.copyOf(steps));
    }
  }

  /** Runs the commands of the page one by one and checks the result of each. */
  void tell(Page page, BerthGround ground, String node) {
    assertThat(steps.stream().map(Step::command))
        .as("the commands of the page")
        .containsExactlyElementsOf(page.commands());
    Kubectl kubectl = new Kubectl(ground, page.files(), node);
    for (Step step : steps) {
      Kubectl.Output output = kubectl.run(step.command());
      await(step.command())
          .atMost(BerthGround.SOON)
          .untilAsserted(() -> step.expectation().check(ground, output));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
