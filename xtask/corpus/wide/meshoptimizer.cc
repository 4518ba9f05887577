// Optimizes, simplifies, splits and packs a wavy grid.
#include "meshoptimizer.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct Vertex {
    float x, y, z, u, v;
};

template <class T> static unsigned long long sum_of(const std::vector<T> &items) {
    uint64_t sum = 0xcbf29ce484222325u;
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(items.data());
    for (size_t i = 0; i < items.size() * sizeof(T); i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

int main() {
    const unsigned n = 60;
    std::vector<Vertex> corners;
    auto corner = [&](unsigned i, unsigned j) {
        float x = float(i) / n, y = float(j) / n;
        corners.push_back({x, y, 0.1f * std::sin(9 * x) * std::cos(7 * y), x, y});
    };
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            corner(i, j), corner(i + 1, j), corner(i, j + 1);
            corner(i, j + 1), corner(i + 1, j), corner(i + 1, j + 1);
        }
    std::vector<unsigned> remap(corners.size());
    size_t count = meshopt_generateVertexRemap(remap.data(), nullptr, corners.size(), corners.data(), corners.size(),
                                               sizeof(Vertex));
    std::vector<unsigned> indices(corners.size());
    std::vector<Vertex> vertices(count);
    meshopt_remapIndexBuffer(indices.data(), nullptr, corners.size(), remap.data());
    meshopt_remapVertexBuffer(vertices.data(), corners.data(), corners.size(), sizeof(Vertex), remap.data());
    std::printf("%zu corners, %zu vertices, %016llx %016llx\n", corners.size(), count, sum_of(indices),
                sum_of(vertices));

    meshopt_optimizeVertexCache(indices.data(), indices.data(), indices.size(), count);
    meshopt_optimizeOverdraw(indices.data(), indices.data(), indices.size(), &vertices[0].x, count, sizeof(Vertex),
                             1.05f);
    meshopt_optimizeVertexFetch(vertices.data(), indices.data(), indices.size(), vertices.data(), count,
                                sizeof(Vertex));
    auto cache = meshopt_analyzeVertexCache(indices.data(), indices.size(), count, 16, 0, 0);
    auto overdraw = meshopt_analyzeOverdraw(indices.data(), indices.size(), &vertices[0].x, count, sizeof(Vertex));
    auto fetch = meshopt_analyzeVertexFetch(indices.data(), indices.size(), count, sizeof(Vertex));
    std::printf("cache %.6f %.6f, overdraw %.6f, fetch %.6f\n", cache.acmr, cache.atvr, overdraw.overdraw,
                fetch.overfetch);

    for (float ratio : {0.5f, 0.1f, 0.01f}) {
        std::vector<unsigned> simple(indices.size());
        float error = 0;
        size_t target = size_t(indices.size() * ratio);
        simple.resize(meshopt_simplify(simple.data(), indices.data(), indices.size(), &vertices[0].x, count,
                                       sizeof(Vertex), target, 1e-1f, 0, &error));
        std::printf("simplified to %zu, error %.7f, %016llx\n", simple.size(), error, sum_of(simple));
        std::vector<unsigned> sloppy(indices.size());
        sloppy.resize(meshopt_simplifySloppy(sloppy.data(), indices.data(), indices.size(), &vertices[0].x, count,
                                             sizeof(Vertex), nullptr, target, 1e-1f, &error));
        std::printf("sloppily to %zu, error %.7f, %016llx\n", sloppy.size(), error, sum_of(sloppy));
    }

    std::vector<unsigned> strip(meshopt_stripifyBound(indices.size()));
    strip.resize(meshopt_stripify(strip.data(), indices.data(), indices.size(), count, ~0u));
    std::printf("strip %zu %016llx\n", strip.size(), sum_of(strip));

    size_t room = meshopt_buildMeshletsBound(indices.size(), 64, 124);
    std::vector<meshopt_Meshlet> meshlets(room);
    std::vector<unsigned> meshlet_vertices(room * 64);
    std::vector<unsigned char> meshlet_triangles(room * 124 * 3);
    meshlets.resize(meshopt_buildMeshlets(meshlets.data(), meshlet_vertices.data(), meshlet_triangles.data(),
                                          indices.data(), indices.size(), &vertices[0].x, count, sizeof(Vertex), 64,
                                          124, 0.5f));
    double radii = 0;
    for (const auto &meshlet : meshlets) {
        auto bounds = meshopt_computeMeshletBounds(&meshlet_vertices[meshlet.vertex_offset],
                                                   &meshlet_triangles[meshlet.triangle_offset],
                                                   meshlet.triangle_count, &vertices[0].x, count, sizeof(Vertex));
        radii += bounds.radius;
    }
    std::printf("%zu meshlets, %016llx, radii %.6f\n", meshlets.size(), sum_of(meshlets), radii);

    std::vector<unsigned char> packed(meshopt_encodeIndexBufferBound(indices.size(), count));
    packed.resize(meshopt_encodeIndexBuffer(packed.data(), packed.size(), indices.data(), indices.size()));
    std::vector<unsigned> back(indices.size());
    int code = meshopt_decodeIndexBuffer(back.data(), back.size(), packed.data(), packed.size());
    std::printf("indices: %zu bytes, %d, %016llx\n", packed.size(), code, sum_of(back));
    packed.assign(meshopt_encodeVertexBufferBound(count, sizeof(Vertex)), 0);
    packed.resize(
        meshopt_encodeVertexBuffer(packed.data(), packed.size(), vertices.data(), count, sizeof(Vertex)));
    std::vector<Vertex> vertices_back(count);
    code = meshopt_decodeVertexBuffer(vertices_back.data(), count, sizeof(Vertex), packed.data(), packed.size());
    bool same = std::memcmp(vertices.data(), vertices_back.data(), count * sizeof(Vertex)) == 0;
    std::printf("vertices: %zu bytes, %d, %s, %016llx\n", packed.size(), code, same ? "same" : "DIFFERENT",
                sum_of(packed));

    std::vector<unsigned> order(count);
    meshopt_spatialSortRemap(order.data(), &vertices[0].x, count, sizeof(Vertex));
    std::vector<short> filtered(count * 4);
    std::vector<float> directions;
    for (const auto &vertex : vertices) directions.insert(directions.end(), {vertex.x, vertex.y, vertex.z, 1});
    meshopt_encodeFilterOct(filtered.data(), count, 8, 12, directions.data());
    std::printf("order %016llx, octahedra %016llx, half %d %.6f\n", sum_of(order), sum_of(filtered),
                meshopt_quantizeHalf(0.333f), meshopt_dequantizeHalf(meshopt_quantizeHalf(0.333f)));
    return code;
}
