package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowingConsumer;

/** The commands of a page, and what the page promises after each. */
record Story(String name, List<Step> steps) {

  /** A promise about the cluster and the output of the command before it. */
  @FunctionalInterface
  interface Promise {
    void check(BerthGround ground, Kubectl.Output output) throws Exception;
  }

  record Step(String command, Promise promise) {}

  /** Collects the steps of a story. */
  static final class Steps {
    private final List<Step> steps = new ArrayList<>();

    /** Adds a command that succeeds, and what can be seen then. */
    Steps then(String command, ThrowingConsumer<BerthGround> promise) {
      return answered(
          command,
          (ground, output) -> {
            assertThat(output.refusal()).as(command).isEmpty();
            promise.accept(ground);
          });
    }

    /** Adds a command that is refused with these words. */
    Steps refused(String command, String words) {
      return answered(
          command, (ground, output) -> assertThat(output.refusal()).as(command).contains(words));
    }

    /** Adds a command whose output is part of the promise. */
    Steps answered(String command, Promise promise) {
      steps.add(new Step(command, promise));
      return this;
    }

    Story of(String name) {
      return new Story(name, List.copyOf(steps));
    }
  }

  /** Runs the commands of the page one by one, and checks the promise after each. */
  void tell(Page page, BerthGround ground, String node) {
    assertThat(steps.stream().map(Step::command))
        .as("the commands of the page")
        .containsExactlyElementsOf(page.commands());
    Kubectl kubectl = new Kubectl(ground, page.files(), node);
    for (Step step : steps) {
      Kubectl.Output output = kubectl.run(step.command());
      await(step.command())
          .atMost(BerthGround.SOON)
          .untilAsserted(() -> step.promise().check(ground, output));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
