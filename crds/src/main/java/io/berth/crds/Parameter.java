package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parameter that a config declares, and the values that it takes. */
@ValidationRule(
    value = "!has(self.minimum) && !has(self.maximum) || self.type == 'integer'",
    message = "minimum and maximum are for parameters of type integer")
@ValidationRule(
    value = "!has(self.minimum) || !has(self.maximum) || self.minimum <= self.maximum",
    message = "minimum must not be greater than maximum")
@ValidationRule(
    value = "!has(self.pattern) || self.type == 'string' || self.type == 'stringList'",
    message = "pattern is for parameters of type string or stringList")
@ValidationRule(
    value = "!has(self.enum) || self.type != 'boolean'",
    message = "a boolean takes true and false; leave enum out")
@Part
public record Parameter(
    @JsonPropertyDescription("Name of the parameter. A template reads it as ${Name}.")
        @Required
        @Size(min = 1, max = 63)
        @Pattern("^[A-Za-z_][A-Za-z0-9_]*$")
        String name,
    @JsonPropertyDescription(
            "Type of the argument: string, integer, boolean, or stringList (a list of strings,"
                + " which becomes the items of the list that it is written in).")
        @Default("string")
        ParameterType type,
    @JsonPropertyDescription(
            "Whether an argument must be given. A required parameter needs no default.")
        @Default("false")
        Boolean required,
    @JsonPropertyDescription("The argument where none is given: a value of the parameter's type.")
        @JsonProperty("default")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable JsonNode defaultValue,
    @JsonPropertyDescription(
            "The values that are accepted; of a stringList, each item. Absent: all of the type.")
        @JsonProperty("enum")
        @Size(max = 256)
        List<IntOrString> allowedValues,
    @JsonPropertyDescription(
            "A regular expression (RE2 syntax) that a string, or each item of a stringList, must"
                + " match as a whole.")
        @Size(max = 1024)
        @Nullable String pattern,
    @JsonPropertyDescription("The least integer that is accepted.") @Nullable Long minimum,
    @JsonPropertyDescription("The greatest integer that is accepted.") @Nullable Long maximum,
    @JsonPropertyDescription("What the parameter is for, in words for those who give arguments.")
        @Size(max = 1024)
        @Nullable String description) {

  public Parameter {
    allowedValues = Absent.emptyIfNull(allowedValues);
    type = Absent.orElse(type, ParameterType.STRING);
    required = Absent.orElse(required, false);
  }
}
