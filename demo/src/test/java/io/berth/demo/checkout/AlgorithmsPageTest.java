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

/** The completeness of docs/algorithms.md, which lists every name that a policy can use. */
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

  /** Returns the accepted names, taken from the message about an unknown name. */
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
