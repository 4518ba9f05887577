// Writes, reads, compacts and opens data bases again, with everything that they can be asked for, in a folder that is
// removed at the end. What runs in the background is waited for, so that each run prints the same.
#include "rocksdb/cache.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "rocksdb/write_batch.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace rocksdb;

namespace {

std::string folder;

void must(const Status &status, const char *what) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
    std::exit(1);
}

unsigned long long state = 88172645463325252u;

unsigned next(unsigned range) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return unsigned(state >> 33) % range;
}

std::string key(unsigned number) {
    char text[32];
    std::snprintf(text, sizeof text, "key-%03u-%05u", number % 37, number);
    return text;
}

std::string value(unsigned number, unsigned size) {
    std::string text(size, ' ');
    for (unsigned i = 0; i < size; i++) text[i] = char('a' + (number * 7 + i * i) % 26);
    return text;
}

// A sum over keys and values in order, and how many there are.
void print_all(const char *what, Iterator *iterator) {
    std::unique_ptr<Iterator> owned(iterator);
    unsigned long long forwards = 0, backwards = 0;
    unsigned count = 0;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), count++)
        for (Slice part : {iterator->key(), iterator->value()})
            for (char c : part.ToString()) forwards = forwards * 31 + (unsigned char)c;
    must(iterator->status(), what);
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) backwards += iterator->key().size() + iterator->value().size();
    must(iterator->status(), what);
    std::printf("%-28s %6u entries, %016llx, %llu bytes\n", what, count, forwards, backwards);
}

// Keeps numbers as text and adds them.
class Add : public AssociativeMergeOperator {
public:
    bool Merge(const Slice &, const Slice *existing, const Slice &operand, std::string *result, Logger *) const override {
        long sum = std::strtol(operand.ToString().c_str(), nullptr, 10);
        if (existing) sum += std::strtol(existing->ToString().c_str(), nullptr, 10);
        *result = std::to_string(sum);
        return true;
    }
    const char *Name() const override { return "Add"; }
};

// Keys whose values are short are forgotten in compactions.
class Forget : public CompactionFilter {
public:
    bool Filter(int, const Slice &, const Slice &existing, std::string *, bool *) const override {
        return existing.size() < 20;
    }
    const char *Name() const override { return "Forget"; }
};

class Backwards : public Comparator {
public:
    int Compare(const Slice &a, const Slice &b) const override { return b.compare(a); }
    const char *Name() const override { return "Backwards"; }
    void FindShortestSeparator(std::string *, const Slice &) const override {}
    void FindShortSuccessor(std::string *) const override {}
};

Options plain_options() {
    Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.compression = kNoCompression;
    options.disable_auto_compactions = true;
    // Where a table in memory ends would depend on the processors that write.
    options.write_buffer_size = 1 << 26;
    options.max_background_jobs = 1;
    options.level_compaction_dynamic_level_bytes = false;
    options.target_file_size_base = 1 << 15;
    options.merge_operator = std::make_shared<Add>();
    return options;
}

// Puts, deletions, merges and batches, beside a map that must have the same in the end.
void fill(DB *db, ColumnFamilyHandle *family, unsigned count, std::map<std::string, std::string> &expected) {
    WriteBatch batch;
    for (unsigned i = 0; i < count; i++) {
        unsigned number = next(count / 2);
        std::string name = key(number), text = value(i, 10 + next(90));
        switch (next(8)) {
        case 0:
            must(db->Delete(WriteOptions(), family, name), "Delete");
            expected.erase(name);
            break;
        case 1:
            must(batch.Put(family, name, text), "batch");
            must(batch.Delete(family, key(number + 1)), "batch");
            must(db->Write(WriteOptions(), &batch), "Write");
            batch.Clear();
            expected[name] = text;
            expected.erase(key(number + 1));
            break;
        case 2:
            must(db->Merge(WriteOptions(), family, "sum", std::to_string(number)), "Merge");
            expected["sum"] = std::to_string(std::strtol(expected["sum"].c_str(), nullptr, 10) + number);
            break;
        default:
            must(db->Put(WriteOptions(), family, name, text), "Put");
            expected[name] = text;
        }
        if (i % 700 == 699) must(db->Flush(FlushOptions(), family), "Flush");
    }
    std::unique_ptr<Iterator> iterator(db->NewIterator(ReadOptions(), family));
    auto at = expected.begin();
    unsigned wrong = 0;
    for (iterator->SeekToFirst(); iterator->Valid() && at != expected.end(); iterator->Next(), ++at)
        wrong += iterator->key() != at->first || iterator->value() != at->second;
    std::printf("filled: %zu entries, %u wrong, %s\n", expected.size(), wrong, iterator->Valid() ? "more" : "no more");
    std::string text;
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        Status status = db->Get(ReadOptions(), family, key(i), &text);
        if (!status.IsNotFound()) must(status, "Get");
        auto known = expected.find(key(i));
        wrong += status.ok() ? known == expected.end() || known->second != text : known != expected.end();
        found += status.ok();
    }
    std::printf("looked up: %u found, %u wrong\n", found, wrong);
}

void print_levels(DB *db, ColumnFamilyHandle *family) {
    ColumnFamilyMetaData data;
    db->GetColumnFamilyMetaData(family, &data);
    std::printf("%-12s", data.name.c_str());
    for (const LevelMetaData &level : data.levels)
        if (!level.files.empty()) std::printf("  level %d: %zu files", level.level, level.files.size());
    std::string text;
    db->GetProperty(family, "rocksdb.estimate-num-keys", &text);
    std::printf("  about %s keys\n", text.c_str());
}

// Column families with tables, filters and orders of several kinds.
void families(const char *what, const Options &options, const BlockBasedTableOptions &table, bool by_prefix) {
    std::printf("--- %s\n", what);
    std::string path = folder + "/" + what;
    static const Backwards backwards;
    static Forget forget;
    Options with_table = options;
    with_table.table_factory.reset(NewBlockBasedTableFactory(table));
    if (by_prefix) with_table.prefix_extractor.reset(NewFixedPrefixTransform(7));
    ColumnFamilyOptions reverse(with_table), forgetful(with_table);
    reverse.comparator = &backwards;
    reverse.prefix_extractor.reset();
    forgetful.compaction_filter = &forget;
    std::vector<ColumnFamilyDescriptor> descriptors = {
        {kDefaultColumnFamilyName, with_table}, {"reverse", reverse}, {"forgetful", forgetful}};

    std::vector<ColumnFamilyHandle *> handles;
    std::unique_ptr<DB> db;
    must(DB::Open(with_table, path, descriptors, &handles, &db), "Open");
    std::map<std::string, std::string> expected;
    fill(db.get(), handles[0], 3000, expected);
    const Snapshot *snapshot = db->GetSnapshot();
    for (unsigned i = 0; i < 1000; i++) must(db->Put(WriteOptions(), handles[1], key(i * 3), value(i, 40)), "Put");
    for (unsigned i = 0; i < 1000; i++) must(db->Put(WriteOptions(), handles[2], key(i), value(i, i % 60)), "Put");
    must(db->DeleteRange(WriteOptions(), handles[0], key(5), key(17)), "DeleteRange");
    expected.erase(expected.lower_bound(key(5)), expected.lower_bound(key(17)));
    ReadOptions old;
    old.snapshot = snapshot;
    old.total_order_seek = true;
    print_all("at the snapshot", db->NewIterator(old, handles[0]));
    ReadOptions total;
    total.total_order_seek = true;
    print_all("now", db->NewIterator(total, handles[0]));
    must(db->Flush(FlushOptions(), handles), "Flush");
    fill(db.get(), handles[0], 500, expected);
    must(db->Flush(FlushOptions(), handles[0]), "Flush");
    print_all("at the snapshot", db->NewIterator(old, handles[0]));
    db->ReleaseSnapshot(snapshot);
    for (ColumnFamilyHandle *handle : handles) {
        print_levels(db.get(), handle);
        must(db->CompactRange(CompactRangeOptions(), handle, nullptr, nullptr), "CompactRange");
        print_levels(db.get(), handle);
        print_all(handle->GetName().c_str(), db->NewIterator(total, handle));
    }
    must(db->Put(WriteOptions(), handles[0], "last", "only in the log"), "Put");
    must(db->VerifyChecksum(), "VerifyChecksum");
    for (ColumnFamilyHandle *handle : handles) must(db->DestroyColumnFamilyHandle(handle), "DestroyColumnFamilyHandle");
    must(db->Close(), "Close");
    db.reset();

    handles.clear();
    must(DB::Open(with_table, path, descriptors, &handles, &db), "Open again");
    for (ColumnFamilyHandle *handle : handles) print_all(handle->GetName().c_str(), db->NewIterator(total, handle));
    if (by_prefix) {
        std::unique_ptr<Iterator> iterator(db->NewIterator(ReadOptions(), handles[0]));
        unsigned count = 0;
        for (iterator->Seek("key-011"); iterator->Valid() && iterator->key().starts_with("key-011"); iterator->Next()) count++;
        std::printf("%u keys with the prefix\n", count);
    }
    std::vector<Slice> keys = {"last", "sum", "nothing"};
    std::vector<ColumnFamilyHandle *> of(keys.size(), handles[0]);
    std::vector<std::string> texts;
    std::vector<Status> found = db->MultiGet(ReadOptions(), of, keys, &texts);
    for (size_t i = 0; i < keys.size(); i++)
        std::printf("%s: %s %s\n", keys[i].data(), found[i].ToString().c_str(), texts[i].c_str());
    Checkpoint *checkpoint;
    must(Checkpoint::Create(db.get(), &checkpoint), "Checkpoint");
    must(checkpoint->CreateCheckpoint(path + "-copy"), "CreateCheckpoint");
    delete checkpoint;
    must(db->DropColumnFamily(handles[2]), "DropColumnFamily");
    for (ColumnFamilyHandle *handle : handles) must(db->DestroyColumnFamilyHandle(handle), "DestroyColumnFamilyHandle");
    db.reset();
    handles.clear();
    must(DB::OpenForReadOnly(with_table, path + "-copy", descriptors, &handles, &db), "OpenForReadOnly");
    print_all("the copy", db->NewIterator(total, handles[2]));
    std::printf("%s\n", db->Put(WriteOptions(), "a", "b").ToString().c_str());
    for (ColumnFamilyHandle *handle : handles) delete handle;
}

void files() {
    std::printf("--- files\n");
    Options options = plain_options();
    SstFileWriter writer(EnvOptions(), options);
    std::string path = folder + "/written.sst";
    must(writer.Open(path), "SstFileWriter");
    for (unsigned i = 0; i < 2000; i++) {
        char name[16];
        std::snprintf(name, sizeof name, "%06u", i);
        must(writer.Put(name, value(i, 30)), "Put");
    }
    must(writer.Finish(), "Finish");
    SstFileReader reader(options);
    must(reader.Open(path), "SstFileReader");
    print_all("the file", reader.NewIterator(ReadOptions()));
    std::unique_ptr<DB> db;
    must(DB::Open(options, folder + "/files", &db), "Open");
    must(db->Put(WriteOptions(), "000100", "old"), "Put");
    must(db->IngestExternalFile({path}, IngestExternalFileOptions()), "IngestExternalFile");
    print_all("with the file", db->NewIterator(ReadOptions()));
}

void transactions() {
    std::printf("--- transactions\n");
    TransactionDB *locking;
    must(TransactionDB::Open(plain_options(), TransactionDBOptions(), folder + "/locking", &locking), "TransactionDB");
    std::unique_ptr<TransactionDB> owned(locking);
    TransactionOptions impatient;
    impatient.lock_timeout = 1;
    std::unique_ptr<Transaction> first(locking->BeginTransaction(WriteOptions()));
    std::unique_ptr<Transaction> second(locking->BeginTransaction(WriteOptions(), impatient));
    must(first->Put("a", "first"), "Put");
    std::printf("%s\n", second->Put("a", "second").ToString().c_str());
    must(second->Put("b", "second"), "Put");
    first->SetSavePoint();
    must(first->Put("c", "first"), "Put");
    must(first->RollbackToSavePoint(), "RollbackToSavePoint");
    must(first->Commit(), "Commit");
    must(second->Rollback(), "Rollback");
    print_all("locking", locking->NewIterator(ReadOptions()));

    OptimisticTransactionDB *optimistic;
    must(OptimisticTransactionDB::Open(plain_options(), folder + "/optimistic", &optimistic), "OptimisticTransactionDB");
    std::unique_ptr<OptimisticTransactionDB> owned_too(optimistic);
    std::unique_ptr<Transaction> third(optimistic->BeginTransaction(WriteOptions()));
    std::string text;
    std::printf("%s\n", third->GetForUpdate(ReadOptions(), "a", &text).ToString().c_str());
    must(third->Put("b", "third"), "Put");
    must(optimistic->Put(WriteOptions(), "a", "changed"), "Put");
    std::printf("%s\n", third->Commit().ToString().c_str());

    WriteBatchWithIndex batch;
    must(batch.Put("a", "1"), "Put");
    must(batch.Put("c", "3"), "Put");
    must(batch.Delete("b"), "Delete");
    print_all("batch and data base", batch.NewIteratorWithBase(optimistic->NewIterator(ReadOptions())));
}

} // namespace

int main() {
    folder = (std::filesystem::temp_directory_path() / "rocksdb-XXXXXX").string();
    if (!mkdtemp(folder.data())) return 1;
    BlockBasedTableOptions table;
    families("plain", plain_options(), table, false);

    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.checksum = kxxHash64;
    table.block_size = 512;
    table.block_cache = NewLRUCache(1 << 18);
    Options options = plain_options();
    options.statistics = CreateDBStatistics();
    families("bloom", options, table, true);
    for (Tickers ticker : {NUMBER_KEYS_WRITTEN, NUMBER_KEYS_READ, BLOOM_FILTER_USEFUL})
        std::printf("ticker %u: %llu\n", unsigned(ticker), (unsigned long long)options.statistics->getTickerCount(ticker));

    table = BlockBasedTableOptions();
    table.filter_policy.reset(NewRibbonFilterPolicy(10));
    table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
    table.checksum = kXXH3;
    options = plain_options();
    options.compaction_style = kCompactionStyleUniversal;
    options.enable_blob_files = true;
    options.min_blob_size = 50;
    options.enable_blob_garbage_collection = true;
    families("universal", options, table, false);

    files();
    transactions();
    std::filesystem::remove_all(folder);
    return 0;
}
