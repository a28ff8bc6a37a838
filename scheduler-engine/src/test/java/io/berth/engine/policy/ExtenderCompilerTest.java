package io.berth.engine.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.extender.Extender;
import io.berth.engine.extender.Extenders;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Consultation.Topic;
import io.berth.engine.plugins.NodeResourcesFit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Validation of extenders in a policy. */
class ExtenderCompilerTest {
  private static final JsonMapper JSON = new JsonMapper();

  private static PolicyCompilation compile(String spec) {
    try {
      return new PolicyCompiler()
          .compile(
              "batch", "1", JSON.readValue(spec.replace('\'', '"'), SchedulingPolicySpec.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static CompiledPolicy compiled(String spec) {
    return ((PolicyCompilation.Compiled) compile(spec)).policy();
  }

  private static Extenders extenders(String list) {
    return (Extenders) compiled("{'extenders':" + list + "}").consultation().orElseThrow();
  }

  private static List<String> problems(String extender) {
    return problemsOf("[" + extender + "]");
  }

  private static List<String> problemsOf(String list) {
    return compile("{'extenders':" + list + "}")
            instanceof PolicyCompilation.Invalid(List<PolicyProblem> problems)
        ? problems.stream().map(problem -> problem.path() + ": " + problem.message()).toList()
        : List.of();
  }

  @Test
  void anExtender_isReadWithKubeSchedulersDefaults() {
    Extender extender =
        extenders("[{'urlPrefix':'http://gpu:8888/scheduler/','filterVerb':'filter'}]")
            .extenders()
            .getFirst();

    assertThat(extender.urlPrefix()).isEqualTo("http://gpu:8888/scheduler");
    assertThat(extender.url("filter")).isEqualTo("http://gpu:8888/scheduler/filter");
    assertThat(extender.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(extender.weight()).isEqualTo(1);
    assertThat(extender.nodeCacheCapable()).isFalse();
    assertThat(extender.ignorable()).isFalse();
    assertThat(extender.managedResources()).isEmpty();
  }

  @Test
  void ignorableExtenders_areAskedLast() {
    assertThat(
            extenders(
                    "[{'urlPrefix':'http://a','filterVerb':'f','ignorable':true},"
                        + "{'urlPrefix':'http://b','bindVerb':'b'},"
                        + "{'urlPrefix':'http://c','preemptVerb':'p'}]")
                .extenders())
        .extracting(Extender::urlPrefix)
        .containsExactly("http://b", "http://c", "http://a");
  }

  @Test
  void whatAnExtenderHasASayIn_followsFromItsVerbs() {
    Extenders binder = extenders("[{'urlPrefix':'http://b','bindVerb':'b'}]");

    assertThat(binder.hasSayIn(Topic.BINDING)).isTrue();
    assertThat(binder.hasSayIn(Topic.NODES)).isFalse();
    assertThat(binder.hasSayIn(Topic.VICTIMS)).isFalse();
  }

  @Test
  void resourcesThatAnExtenderLooksAfter_areLeftOutOfNodeResourcesFit() {
    CompiledPolicy policy =
        compiled(
            "{'predicates':[{'name':'NodeResourcesFit','args':{'ignoredResources':['a.com/x']}}],"
                + "'extenders':[{'urlPrefix':'http://b','filterVerb':'f','managedResources':["
                + "{'name':'b.com/y','ignoredByScheduler':true},{'name':'c.com/z'}]}]}");

    assertThat(policy.filters())
        .filteredOn(NodeResourcesFit.class::isInstance)
        .singleElement()
        .extracting(filter -> ((NodeResourcesFit) filter).ignored())
        .asInstanceOf(InstanceOfAssertFactories.COLLECTION)
        .containsExactlyInAnyOrder("a.com/x", "b.com/y");
  }

  @Test
  void aTimeout_isADurationOrNanoseconds() {
    assertThat(
            extenders(
                    "[{'urlPrefix':'http://a','filterVerb':'f','httpTimeout':'1m30s'},"
                        + "{'urlPrefix':'http://b','filterVerb':'f','httpTimeout':'5000000000'},"
                        + "{'urlPrefix':'http://c','filterVerb':'f','httpTimeout':'0'}]")
                .extenders())
        .extracting(Extender::timeout)
        .containsExactly(Duration.ofSeconds(90), Duration.ofSeconds(5), Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'urlPrefix':'gpu:8888' | spec.extenders[0].urlPrefix | is not a valid URL, such as",
        "'urlPrefix':'ftp://gpu' | spec.extenders[0].urlPrefix | must start with http:// or"
            + " https://",
        "'urlPrefix':'http://me:secret@gpu' | spec.extenders[0].urlPrefix | without user",
        "'urlPrefix':'http://gpu/a?b=c' | spec.extenders[0].urlPrefix | query, or fragment",
        "'urlPrefix':'http://gpu:70000' | spec.extenders[0].urlPrefix | is not valid: a port is at"
            + " most 65535, not 70000",
        "'urlPrefix':'http://169.254.169.254/x' | spec.extenders[0].urlPrefix | link-local",
        "'urlPrefix':'http://[fe80::1]/x' | spec.extenders[0].urlPrefix | link-local",
        "'urlPrefix':'http://168.63.129.16' | spec.extenders[0].urlPrefix | node credentials",
        "'urlPrefix':'http://[64:FF9B::100.100.100.200]:80' | spec.extenders[0].urlPrefix | node"
            + " credentials",
        "'urlPrefix':'http://a','enableHTTPS':true | spec.extenders[0].enableHTTPS | use https",
        "'urlPrefix':'http://a','httpTimeout':'soon' | spec.extenders[0].httpTimeout | duration",
        "'urlPrefix':'http://a','httpTimeout':'1h' | spec.extenders[0].httpTimeout | 1ms to 5m",
        "'urlPrefix':'http://a','filterVerb':'/f' | spec.extenders[0].filterVerb | must not start"
            + " with a slash",
        "'urlPrefix':'http://a','prioritizeVerb':'p','weight':0 | spec.extenders[0].weight | 1 to",
        "'urlPrefix':'http://a','managedResources':[{'name':'cpu'}] |"
            + " spec.extenders[0].managedResources[0].name | is not an extended resource",
        "'urlPrefix':'http://a','tlsConfig':{} | spec.extenders[0].tlsConfig | has no effect",
        "'urlPrefix':'https://a','tlsConfig':{'certFile':'/c'} | spec.extenders[0].tlsConfig |"
            + " must have both a certificate",
        "'urlPrefix':'https://a','tlsConfig':{'caFile':'ca.crt'} |"
            + " spec.extenders[0].tlsConfig.caFile | absolute path",
        "'urlPrefix':'https://a','tlsConfig':{'caData':'AAAA'} |"
            + " spec.extenders[0].tlsConfig.caData | is not base64-encoded PEM",
        "'urlPrefix':'https://a','tlsConfig':{'secretName':'../webhook'} |"
            + " spec.extenders[0].tlsConfig.secretName | is not the name of a Secret",
        "'urlPrefix':'https://a','tlsConfig':{'secretName':'gpu','caFile':'/c'} |"
            + " spec.extenders[0].tlsConfig.secretName | takes the place of all files and data",
        "'urlPrefix':'https://a','tlsConfig':{'caFile':'/c','insecure':true} |"
            + " spec.extenders[0].tlsConfig.insecure | no effect",
      })
  void aMistake_isRefusedWithItsPlaceAndWhatToDo(String fields, String path, String words) {
    String verb = fields.contains("Verb") ? "" : ",'filterVerb':'filter'";

    assertThat(problems("{" + fields + verb + "}"))
        .singleElement()
        .asString()
        .startsWith(path + ": ")
        .contains(words);
  }

  @Test
  void anExtenderThatIsNeverAsked_isRefused() {
    assertThat(problems("{'urlPrefix':'http://a'}"))
        .containsExactly(
            "spec.extenders[0]: set at least one of filterVerb, prioritizeVerb, preemptVerb, and"
                + " bindVerb: without them, the extender is never called");
  }

  @Test
  void twoExtendersThatContradictEachOther_areRefused() {
    assertThat(
            problemsOf(
                "[{'urlPrefix':'http://a','bindVerb':'b','managedResources':[{'name':'a.com/x'}]},"
                    + "{'urlPrefix':'http://a/','bindVerb':'b','managedResources':[{'name':'a.com/x'}]}]"))
        .containsExactlyInAnyOrder(
            "spec.extenders[1].urlPrefix: \"http://a\" is a duplicate; each extender has one entry",
            "spec.extenders[1].bindVerb: only one extender of a policy can have a bindVerb;"
                + " spec.extenders[0] already has one",
            "spec.extenders[1].managedResources[0].name: a.com/x is a duplicate; it is already in"
                + " spec.extenders[0].managedResources[0].name");
  }

  @Test
  void certificatesInTheSpec_arePemInBase64() {
    String pem =
        Base64.getEncoder()
            .encodeToString("-----BEGIN CERTIFICATE-----\n".getBytes(StandardCharsets.US_ASCII));

    assertThat(
            problems(
                "{'urlPrefix':'https://a','filterVerb':'f','tlsConfig':{'caData':'" + pem + "'}}"))
        .isEmpty();
  }
}
