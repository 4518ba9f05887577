// Compiles shaders to SPIR-V and prints them; some of them are wrong.
#include "SPIRV/GlslangToSpv.h"
#include "SPIRV/disassemble.h"
#include "glslang/Public/ResourceLimits.h"
#include "glslang/Public/ShaderLang.h"
#include <iostream>
#include <string>
#include <vector>

namespace {

struct Shader {
    const char *name;
    EShLanguage stage;
    const char *text;
};

const Shader shaders[] = {
    {"vertex", EShLangVertex, R"(#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec3 color;
layout(binding = 0) uniform Scene { mat4 view; mat4 bones[16]; vec4 light; } scene;
#define WEIGHTS 4
vec3 shade(vec3 n, vec3 l) { return mix(vec3(0.1), vec3(1.0, 0.9, 0.8), max(dot(n, normalize(l)), 0.0)); }
void main() {
    vec4 sum = vec4(0);
    for (int i = 0; i < WEIGHTS; ++i) {
        if (i == 2) continue;
        sum += scene.bones[(gl_VertexIndex + i) & 15] * vec4(position, 1.0) / float(WEIGHTS);
    }
    color = shade(normalize(mat3(scene.view) * normal), scene.light.xyz);
    gl_Position = scene.view * sum;
}
)"},
    {"fragment", EShLangFragment, R"(#version 450
layout(location = 0) in vec3 color;
layout(location = 0) out vec4 target;
layout(binding = 1) uniform sampler2D image;
layout(push_constant) uniform Push { ivec2 size; float gamma; } push;
struct Light { vec3 at; float power; };
const Light lights[2] = Light[](Light(vec3(0, 1, 2), 3.5), Light(vec3(-1), 0.25));
float total(const Light all[2]) { float sum = 0.0; for (int i = 0; i < all.length(); i++) sum += all[i].power; return sum; }
void main() {
    vec2 at = gl_FragCoord.xy / vec2(push.size);
    vec4 texel = textureLod(image, at, 1.0).bgra;
    switch (push.size.x & 3) {
    case 0: texel *= 2.0; break;
    case 1: discard;
    default: texel = pow(texel, vec4(push.gamma));
    }
    target = vec4(color, 1) * texel * total(lights) * (1.0 / 3.0 + 2.0 * 3.5);
}
)"},
    {"compute", EShLangCompute, R"(#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint count; double sums[]; } data;
shared uint partial[64];
void main() {
    uint i = gl_LocalInvocationID.x;
    partial[i] = bitfieldReverse(gl_GlobalInvocationID.x) ^ 0xdeadbeefu;
    barrier();
    for (uint step = 32u; step > 0u; step >>= 1) {
        if (i < step) partial[i] += partial[i + step];
        memoryBarrierShared();
        barrier();
    }
    if (i == 0u) { atomicAdd(data.count, partial[0]); data.sums[gl_WorkGroupID.x] = double(partial[0]) * 0.5LF; }
}
)"},
    {"wrong", EShLangFragment, R"(#version 450
out vec4 target;
float f(int x) { return x * missing; }
void main() { target = f(1.5, 2) + vec3(1) * mat4(1); undeclared(); int y = ; }
)"},
};

void compile(const Shader &source) {
    std::cout << "== " << source.name << '\n';
    glslang::TShader shader(source.stage);
    shader.setStrings(&source.text, 1);
    shader.setEnvInput(glslang::EShSourceGlsl, source.stage, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
    const EShMessages messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    if (!shader.parse(GetDefaultResources(), 450, false, messages)) {
        std::cout << shader.getInfoLog() << '\n';
        return;
    }
    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(messages)) {
        std::cout << program.getInfoLog() << '\n';
        return;
    }
    program.buildReflection();
    for (int i = 0; i < program.getNumUniformVariables(); ++i)
        std::cout << "uniform " << program.getUniform(i).name << " at " << program.getUniform(i).offset << '\n';
    std::vector<unsigned int> words;
    spv::SpvBuildLogger logger;
    glslang::GlslangToSpv(*program.getIntermediate(source.stage), words, &logger);
    std::cout << words.size() << " words " << logger.getAllMessages() << '\n';
    spv::Disassemble(std::cout, words);
}

} // namespace

int main() {
    glslang::InitializeProcess();
    for (const Shader &shader : shaders) compile(shader);
    glslang::FinalizeProcess();
    return 0;
}
