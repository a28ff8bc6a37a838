package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.demo.cluster.Checkout;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/algorithms.md is complete: it lists every name that a policy may use. */
class AlgorithmsPageTest {
  private static final Pattern ACCEPTED = Pattern.compile("accepted: (.*?)(?: \\(did you|$)");

  @ParameterizedTest
  @ValueSource(strings = {"predicates", "priorities"})
  void everyAcceptedName_isOnThePage(String list) throws IOException {
    String page = Files.readString(Checkout.find().root().resolve("docs/algorithms.md"));
    assertThat(accepted(list))
        .hasSizeGreaterThan(15)
        .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }

  /** The accepted names, from the message for a policy with an unknown one. */
  private static List<String> accepted(String list) {
    SchedulingPolicySpec spec =
        Serialization.unmarshal(list + ":\n- name: NoSuchAlgorithm\n", SchedulingPolicySpec.class);
    PolicyCompilation compilation = new PolicyCompiler().compile("page", "1", spec);
    String message = ((PolicyCompilation.Invalid) compilation).problems().getFirst().message();
    return ACCEPTED
        .matcher(message)
        .results()
        .flatMap(found -> Pattern.compile(", ").splitAsStream(found.group(1)))
        .toList();
  }
}
